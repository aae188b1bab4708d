import Timeline

/// A monitor that was released because it was not used.
///
/// A PM5 without a link advertises until it switches itself off, four minutes after its last use;
/// if it is connected in that time, it stays on. So the room leaves it alone while it advertises,
/// and connects again when it advertises after a silence: then it was off, or connected to a phone,
/// and is available again.
struct SleepingMonitor: Equatable, Sendable {
    enum Limit {
        /// Minimum duration of a scan that shows that a monitor is silent. A scan finds all
        /// monitors of a room within a second, the weakest within a few.
        static let wholeScan = Duration.seconds(5)
        /// Scans in a row that did not find it; a single one may have missed it.
        static let silentScans = 2
    }

    /// From then on it is connected again even if it was never silent.
    let holdEnd: BootInstant
    /// Whether it is wanted again. It counts as asleep until its link exists, because it may fall
    /// asleep again before.
    var isAwake = false
    private var lastSeen: BootInstant
    private var silentScans = 0

    init(holdEnd: BootInstant, at now: BootInstant) {
        self.holdEnd = holdEnd
        lastSeen = now
    }

    mutating func noteSighting(at now: BootInstant) {
        if silentScans >= Limit.silentScans || now >= holdEnd { isAwake = true }
        silentScans = 0
        lastSeen = now
    }

    /// Records the end of a scan that began at `start`.
    mutating func noteScan(since start: BootInstant, at now: BootInstant) {
        guard start.duration(to: now) >= Limit.wholeScan, lastSeen < start else { return }
        silentScans += 1
    }
}
