import PM5Codec
import Timeline

/// Whether the rower of an open session pauses: no stroke for `strokeLimit`, or a monitor that calls
/// the rower inactive and no stroke for `inactivityLimit`. Either is enough.
struct PauseWatch {
    /// Without a stroke for this long the rower pauses. A monitor says so at about the same time, and
    /// then `inactivityLimit` begins the pause: a longer limit here wants a longer one there.
    static let strokeLimit = Duration.seconds(6)
    /// When the monitor calls the rower inactive, a stroke sign this fresh still outweighs it.
    static let inactivityLimit = Duration.seconds(2)

    private(set) var isPaused = false
    private var lastSign: BootInstant

    init(isPaused: Bool = false, lastSign: BootInstant = BootInstant(nanoseconds: 0)) {
        self.isPaused = isPaused
        self.lastSign = lastSign
    }

    /// Counts from `now`: a drive was seen, or an interval began, or the monitor is back.
    mutating func restart(at now: BootInstant) { lastSign = now }

    /// A packet of a stroke came, perhaps behind what was seen already.
    mutating func noteStroke(at now: BootInstant) { lastSign = max(lastSign, now) }

    mutating func end() { isPaused = false }

    /// Gives back the edge that the session has come to; nil while nothing changes.
    ///
    /// - Parameter heard: when the status came. What the rower has done since, nobody knows: a busy
    ///   monitor may send none for minutes, in which a rest may have begun.
    mutating func settle(
        _ status: GeneralStatus, _ phase: PiecePhase, heard: BootInstant
    ) -> SessionEdge.Kind? {
        let silence = lastSign.duration(to: heard)
        let isInactive = status.rowingState == .inactive && silence >= Self.inactivityLimit
        let pauses = phase == .working && (isInactive || silence >= Self.strokeLimit)
        guard pauses != isPaused else { return nil }
        isPaused = pauses
        return pauses ? .paused : .resumed
    }
}
