import Timeline

/// A rate limit for something that others trigger: it happens a few times at once, and then not
/// before `pause` is over.
///
/// A pure state machine.
package struct Restraint: Sendable {
    private let pause: Duration
    private let burst: Int
    private var windowStart: BootInstant?
    private var done = 0
    private var withheld = 0

    /// - Parameter burst: how often it may happen within a pause.
    package init(pause: Duration, burst: Int = 1) {
        self.pause = pause
        self.burst = burst
    }

    /// Handles a trigger. Returns how many triggers to act for now, this one and those withheld
    /// since the last time; nil if this one is withheld too.
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

    /// When to act for the withheld triggers together; nil if there are none.
    var due: BootInstant? { withheld > 0 ? windowStart?.advanced(by: pause) : nil }

    /// Whether to act now for withheld triggers.
    mutating func isDue(at now: BootInstant) -> Bool {
        guard let due, due <= now else { return false }
        windowStart = now
        (done, withheld) = (1, 0)
        return true
    }
}

/// Rate limits for actions that other clients of the broker trigger.
struct Restraints {
    /// Restoring our availability message.
    var availability = Restraint(pause: .seconds(2))
    /// Publishing all retained messages after Home Assistant reported its start.
    var retained = Restraint(pause: .seconds(2))
    /// Lines of the journal, one limit per kind.
    var overwrittenLine = Restraint(pause: .seconds(60))
    var tooLongLine = Restraint(pause: .seconds(60))
    var oversizedLine = Restraint(pause: .seconds(60))
    var droppedReplyLine = Restraint(pause: .seconds(60))
    /// A broker that accepts connections and ends them at once would write a line for each.
    var connectedLine = Restraint(pause: .seconds(600), burst: 10)
    var failureLine = Restraint(pause: .seconds(600), burst: 10)

    /// When to act next without a trigger.
    var due: BootInstant? { [availability.due, retained.due].compactMap(\.self).min() }
}
