import Timeline
import WebServer

/// Limits wrong tokens, per client address and in total. Has no clock and no I/O.
struct SignInLimiter: Sendable {
    /// The largest number of stored addresses, and of stored digests.
    private static let capacity = 1024

    private var total = RateLimiter(burst: 100, pause: .seconds(2))
    private var addresses: [ClientAddress?: RateLimiter] = [:]
    /// Digests of wrong tokens that were counted. A page that repeats a removed token counts once.
    private var counted: Set<String> = []

    /// Returns the time until tokens from this address are checked again; nil if they are checked now.
    func retryDelay(for address: ClientAddress?, at now: BootInstant) -> Duration? {
        let delays = [total.retryDelay(at: now), addresses[address]?.retryDelay(at: now)]
        return delays.compactMap(\.self).max()
    }

    /// Counts a wrong token.
    mutating func recordFailure(_ digest: String, from address: ClientAddress?, at now: BootInstant) {
        if counted.count >= Self.capacity { counted = [] }
        guard counted.insert(digest).inserted else { return }
        total.consume(at: now)
        if addresses.count >= Self.capacity {
            addresses = addresses.filter { !$0.value.isFull(at: now) }
            if addresses.count >= Self.capacity { addresses = [:] }
        }
        addresses[address, default: RateLimiter(burst: 10, pause: .seconds(30))].consume(at: now)
    }
}
