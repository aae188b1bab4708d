import Timeline

/// Something that others can call for as often as they like: it is done a few times at once, and
/// then not before `pause` is over.
///
/// A pure machine.
package struct Restraint: Sendable {
    private let pause: Duration
    private let burst: Int
    private var windowStart: BootInstant?
    private var done = 0
    private var withheld = 0

    /// - Parameter burst: how often it may be done within a pause.
    package init(pause: Duration, burst: Int = 1) {
        self.pause = pause
        self.burst = burst
    }

    /// It is called for. Returns for how many calls it is to be done now, this one and those withheld
    /// since it was last done; nil where this one is withheld too.
    package mutating func call(at now: BootInstant) -> Int? {
        withheld += 1
        if let windowStart, windowStart.duration(to: now) < pause {
            guard done < burst else { return nil }
        } else {
            windowStart = now
            done = 0
        }
        done += 1
        defer { withheld = 0 }
        return withheld
    }

    /// When the calls that were withheld are followed, together; nil when there are none.
    var due: BootInstant? { withheld > 0 ? windowStart?.advanced(by: pause) : nil }

    /// Whether it is to be done now for calls that were withheld.
    mutating func isDue(at now: BootInstant) -> Bool {
        guard let due, due <= now else { return false }
        windowStart = now
        (done, withheld) = (1, 0)
        return true
    }
}

/// What others on the broker make the publisher do, and how often it lets them.
struct Restraints {
    /// Setting our availability right again.
    var availability = Restraint(pause: .seconds(2))
    /// Publishing all that is retained for a Home Assistant that says it has started.
    var retained = Restraint(pause: .seconds(2))
    /// Lines of the journal, of a sort each.
    var overwrittenLine = Restraint(pause: .seconds(60))
    var tooLongLine = Restraint(pause: .seconds(60))
    var oversizedLine = Restraint(pause: .seconds(60))
    var droppedReplyLine = Restraint(pause: .seconds(60))
    /// A broker that takes connections and ends them at once would write a line for each of these.
    var connectedLine = Restraint(pause: .seconds(600), burst: 10)
    var failureLine = Restraint(pause: .seconds(600), burst: 10)

    /// When the next thing is to be done without any further call.
    var due: BootInstant? { [availability.due, retained.due].compactMap(\.self).min() }
}
