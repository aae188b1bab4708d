import Timeline

/// How long commits took, of the last hour.
struct CommitTimes {
    /// An hour is looked at in as many parts, so that what is older is forgotten in time.
    private static let parts = 12
    private static let part = Duration.seconds(3600 / parts)

    /// The longest of each part, the newest last.
    private var longest: [(begin: BootInstant, time: Duration)] = []
    /// The last, and when it was over.
    private var last: (end: BootInstant, time: Duration)?

    mutating func add(_ time: Duration, at now: BootInstant) {
        last = (now, time)
        if let last = longest.last, last.begin.duration(to: now) < Self.part {
            longest[longest.count - 1].time = max(last.time, time)
        } else {
            longest.append((now, time))
        }
        if longest.count > Self.parts { longest.removeFirst() }
    }

    /// The last, if it ended in the last half minute: what is older tells nothing of now.
    func latest(at now: BootInstant) -> Duration? {
        last.flatMap { $0.end.duration(to: now) < .seconds(30) ? $0.time : nil }
    }

    /// The longest of the last hour; nil where there was none.
    func worst(at now: BootInstant) -> Duration? {
        longest.filter { $0.begin.duration(to: now) < .seconds(3600) }.map(\.time).max()
    }
}
