import Timeline

/// A rate limit for something that others trigger: it happens a few times at once, and then not
/// before `pause` is over.
///
/// A pure state machine.
package struct BurstLimiter: Sendable {
    private let pause: Duration
    private let burst: Int
    private var windowStart: BootInstant?
    private var done = 0
    private var suppressed = 0

    /// - Parameter burst: how often it may happen within a pause.
    package init(pause: Duration, burst: Int = 1) {
        self.pause = pause
        self.burst = burst
    }

    /// Handles a trigger. Returns how many triggers to act for now, this one and those withheld
    /// since the last time; nil if this one is withheld too.
    package mutating func trigger(at now: BootInstant) -> Int? {
        suppressed += 1
        if let windowStart, windowStart.duration(to: now) < pause {
            guard done < burst else { return nil }
        } else {
            windowStart = now
            done = 0
        }
        done += 1
        defer { suppressed = 0 }
        return suppressed
    }

    /// When to act for the withheld triggers together; nil if there are none.
    var due: BootInstant? { suppressed > 0 ? windowStart?.advanced(by: pause) : nil }

    /// Whether to act now for withheld triggers.
    mutating func isDue(at now: BootInstant) -> Bool {
        guard let due, due <= now else { return false }
        windowStart = now
        (done, suppressed) = (1, 0)
        return true
    }
}

/// Rate limits for actions that other clients of the broker trigger.
struct PublisherRateLimits {
    /// Restoring our availability message.
    var availability = BurstLimiter(pause: .seconds(2))
    /// Publishing all retained messages after Home Assistant reported its start.
    var retained = BurstLimiter(pause: .seconds(2))
    /// Lines of the journal, one limit per kind.
    var overwrittenLine = BurstLimiter(pause: .seconds(60))
    var tooLongLine = BurstLimiter(pause: .seconds(60))
    var oversizedLine = BurstLimiter(pause: .seconds(60))
    var droppedReplyLine = BurstLimiter(pause: .seconds(60))
    /// A broker that accepts connections and ends them at once would write a line for each.
    var connectedLine = BurstLimiter(pause: .seconds(600), burst: 10)
    var failureLine = BurstLimiter(pause: .seconds(600), burst: 10)

    /// When to act next without a trigger.
    var due: BootInstant? { [availability.due, retained.due].compactMap(\.self).min() }
}
