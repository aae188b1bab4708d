import Timeline
import WebServer

/// How many wrong tokens are looked at, of one address and of all. A pure machine.
struct SignInLimit: Sendable {
    /// Addresses and digests that are remembered; a thousand guesses later nobody needs them.
    private static let memory = 1024

    private var all = Allowance(burst: 100, pause: .seconds(2))
    private var addresses: [ClientAddress?: Allowance] = [:]
    /// Wrong ones that were counted: a page that goes on with a token that was removed is one guess.
    private var counted: Set<String> = []

    /// How long nobody looks at a token from there; nil when it is looked at.
    func wait(_ address: ClientAddress?, at now: BootInstant) -> Duration? {
        let waits = [all.wait(at: now), addresses[address]?.wait(at: now)]
        return waits.compactMap(\.self).max()
    }

    /// A token was wrong.
    mutating func failed(_ digest: String, from address: ClientAddress?, at now: BootInstant) {
        if counted.count >= Self.memory { counted = [] }
        guard counted.insert(digest).inserted else { return }
        all.take(at: now)
        if addresses.count >= Self.memory {
            addresses = addresses.filter { !$0.value.isWhole(at: now) }
            if addresses.count >= Self.memory { addresses = [:] }
        }
        addresses[address, default: Allowance(burst: 10, pause: .seconds(30))].take(at: now)
    }
}
