import Timeline
import WebServer

/// Limits wrong tokens and codes, per client address and in total. Has no clock and no I/O.
struct SignInLimiter: Sendable {
    /// The largest number of stored addresses, and of stored digests.
    private static let capacity = 1024

    private var total: RateLimiter
    /// The limits of an address before its first failure.
    private let each: RateLimiter
    private var addresses: [ClientAddress?: RateLimiter] = [:]
    /// Digests of wrong tokens that were counted. A page that repeats a removed token counts once.
    private var counted: Set<String> = []

    init(
        total: RateLimiter = RateLimiter(burst: 100, pause: .seconds(2)),
        each: RateLimiter = RateLimiter(burst: 10, pause: .seconds(30))
    ) {
        (self.total, self.each) = (total, each)
    }

    /// Returns the time until tokens from this address are checked again; nil if they are checked now.
    func retryDelay(for address: ClientAddress?, at now: BootInstant) -> Duration? {
        let delays = [total.retryDelay(at: now), addresses[address]?.retryDelay(at: now)]
        return delays.compactMap(\.self).max()
    }

    /// Counts a wrong token, unless it was counted before.
    mutating func recordFailure(_ digest: String, from address: ClientAddress?, at now: BootInstant) {
        if counted.count >= Self.capacity { counted = [] }
        guard counted.insert(digest).inserted else { return }
        recordFailure(from: address, at: now)
    }

    /// Counts a failure.
    mutating func recordFailure(from address: ClientAddress?, at now: BootInstant) {
        total.consume(at: now)
        if addresses.count >= Self.capacity {
            addresses = addresses.filter { !$0.value.isFull(at: now) }
            if addresses.count >= Self.capacity { addresses = [:] }
        }
        addresses[address, default: each].consume(at: now)
    }
}

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
