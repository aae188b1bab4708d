import Timeline

/// The duration of the commits of the last hour.
struct CommitTimes {
    /// The hour is divided into this many parts, so that old values expire.
    private static let parts = 12
    private static let part = Duration.seconds(3600 / parts)

    /// The longest commit of each part, newest last.
    private var longest: [(begin: BootInstant, time: Duration)] = []
    /// The last commit, and when it ended.
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

    /// The duration of the last commit if it ended within the last 30 s; nil otherwise.
    func latest(at now: BootInstant) -> Duration? {
        last.flatMap { $0.end.duration(to: now) < .seconds(30) ? $0.time : nil }
    }

    /// The longest commit of the last hour; nil if there was none.
    func worst(at now: BootInstant) -> Duration? {
        longest.filter { $0.begin.duration(to: now) < .seconds(3600) }.map(\.time).max()
    }
}
