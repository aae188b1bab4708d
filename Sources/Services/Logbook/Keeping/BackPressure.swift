import Glibc
import HostRuntime

/// Holds up the thread that brings records, while as many wait as may and the store takes them.
///
/// libmosquitto acknowledges a message before anybody has seen it, so that a broker cannot be told to wait
/// by acknowledgements. It is told by a socket that nobody reads: the rest stays in the broker's queue, in
/// order, where letting go of it would mean to ask the gateways for it again, one range after the other.
struct BackPressure: Sendable {
    /// Milliseconds between two looks where nobody says that there is room, and how many looks there are:
    /// whoever holds the connection is let go in time to answer the broker, whatever the clock says.
    private static let look: Int32 = 100
    private static let looks = Int(Intake.Limit.patience / .milliseconds(look))

    /// Rung when the store has taken something.
    private let bell = Bell()

    /// Waits on this thread until there is room, or no hope of it.
    func hold(while isHeldUp: () -> Bool) {
        for _ in 0..<Self.looks {
            guard isHeldUp() else { return }
            var ready = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&ready, 1, Self.look)
            bell.hear()
        }
    }

    /// There may be room now.
    func release() { bell.ring() }
}
