import Timeline

/// A monitor that was released because it was not used.
///
/// A PM5 without a link advertises until it switches itself off, four minutes after its last use;
/// if it is connected in that time, it stays on. So the room leaves it alone while it advertises,
/// and takes it back when it is heard after a silence: then it was off, or connected to a phone,
/// and is available again.
struct Sleeper: Equatable, Sendable {
    enum Limit {
        /// Minimum duration of a scan that shows that a monitor is silent. All monitors of a room
        /// are heard within a second, the weakest within a few.
        static let wholeScan = Duration.seconds(5)
        /// Scans in a row that did not hear it; a single one may be bad luck.
        static let silentScans = 2
    }

    /// From then on it is taken back even if it was never silent.
    let restEnd: BootInstant
    /// Whether it is wanted again. It counts as asleep until its link exists, because it may fall
    /// asleep again before.
    var isAwake = false
    private var lastHeard: BootInstant
    private var silentScans = 0

    init(restEnd: BootInstant, at now: BootInstant) {
        self.restEnd = restEnd
        lastHeard = now
    }

    mutating func noteHearing(at now: BootInstant) {
        if silentScans >= Limit.silentScans || now >= restEnd { isAwake = true }
        silentScans = 0
        lastHeard = now
    }

    /// Records the end of a scan that began at `start`.
    mutating func noteScan(since start: BootInstant, at now: BootInstant) {
        guard start.duration(to: now) >= Limit.wholeScan, lastHeard < start else { return }
        silentScans += 1
    }
}
