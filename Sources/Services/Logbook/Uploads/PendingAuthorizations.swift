import HostRuntime
import Synchronization
import Uploads

/// Athletes who were sent to a service and have not come back yet.
final class PendingAuthorizations: Sendable {
    /// How long an athlete may stay at the service: milliseconds.
    private static let period: Int64 = 15 * 60_000
    private static let maximum = 1000

    private struct Pending {
        var athlete: String
        var destination: UploadDestination
        var endsAt: Int64
    }

    private let pending = Mutex<[String: Pending]>([:])

    /// Returns the state for the address of a new authorization, a secret that only the athlete's browser gets.
    ///
    /// - Parameter now: Unix milliseconds.
    func begin(_ athlete: String, _ destination: UploadDestination, at now: Int64, by runtime: some Runtime)
        -> String
    {
        let state = Token(by: runtime).text
        pending.withLock { pending in
            pending = pending.filter { $0.value.endsAt > now }
            if pending.count >= Self.maximum,
                let first = pending.min(by: { $0.value.endsAt < $1.value.endsAt })
            {
                pending[first.key] = nil
            }
            pending[state] = Pending(athlete: athlete, destination: destination, endsAt: now + Self.period)
        }
        return state
    }

    /// Ends an authorization. Returns nil if the state is unknown, too old, or another athlete's.
    func end(_ state: String, of athlete: String, at now: Int64) -> UploadDestination? {
        pending.withLock { pending in
            guard let found = pending[state], found.athlete == athlete else { return nil }
            pending[state] = nil
            return found.endsAt > now ? found.destination : nil
        }
    }
}
