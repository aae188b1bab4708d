import Timeline

/// A monitor that was given up because nobody used it.
///
/// A PM5 without a link goes on advertising until it switches itself off, four minutes after its last
/// use, and one that is connected in that time stays on. So it is left alone while it goes on, and
/// taken back when it is heard after a silence: it was off, or at a phone, and is not any more.
struct Sleeper: Equatable, Sendable {
    enum Limit {
        /// What a scan has to last to say that a monitor is silent; all of a room are heard within a
        /// second, the weakest within a few.
        static let wholeScan = Duration.seconds(5)
        /// Scans in a row that did not hear it; one may have bad luck.
        static let silentScans = 2
    }

    /// From here on it is taken back even if it was never silent.
    let restEnd: BootInstant
    /// Whether it is wanted again. It counts as asleep until its link stands: what woke may fall
    /// asleep again before that.
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

    /// A scan ends that began at `start`.
    mutating func noteScan(since start: BootInstant, at now: BootInstant) {
        guard start.duration(to: now) >= Limit.wholeScan, lastHeard < start else { return }
        silentScans += 1
    }
}
