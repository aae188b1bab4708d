import Synchronization
import Timeline

/// For how long the wall clock has not been synchronised.
final class ClockWatch: Sendable {
    private let since = Mutex<BootInstant?>(nil)

    /// Takes what a look found; returns nil while the clock is synchronised.
    func note(_ clock: WallClock, at now: BootInstant) -> Duration? {
        since.withLock { since in
            since = clock.isSynchronized ? nil : since ?? now
            return since?.duration(to: now)
        }
    }
}
