import Timeline

/// A token bucket: allows `burst` actions at once and one more after each `pause`.
struct RateLimiter: Sendable {
    private let burst: Int
    private let pause: Duration
    /// The time at which the bucket is full again; nil before the first action.
    private var fullAt: BootInstant?

    init(burst: Int, pause: Duration) {
        self.burst = burst
        self.pause = pause
    }

    /// Returns the time until the next action is allowed; nil if it is allowed now.
    func retryDelay(at now: BootInstant) -> Duration? {
        guard let fullAt else { return nil }
        let delay = now.duration(to: fullAt) - pause * (burst - 1)
        return delay > .zero ? delay : nil
    }

    /// Counts one action.
    mutating func consume(at now: BootInstant) {
        fullAt = max(fullAt ?? now, now).advanced(by: pause)
    }

    /// Whether `burst` actions are allowed.
    func isFull(at now: BootInstant) -> Bool { fullAt.map { $0 <= now } ?? true }
}
