import PM5Codec

/// The monitor's side of 0x0021 and 0x0022: frames received, frames sent, and their state.
struct ControlPort: Sendable {
    var parser = FrameParser()
    /// Alternates with every complete frame.
    var toggle = false
    /// The state of the public state machine while nothing is rowed.
    var publicState = CSAFEState.ready
    var draft = ProgramDraft()
    /// A workout set by public commands, which only GOINUSE puts on the screen.
    var publicDraft: WorkoutGoal?
    var isPublicDraftChecked = false
    /// Screen commands that the display task has not executed yet.
    var screens: [ScreenValue] = []
    var lastScreen = ScreenValue.none
    /// The link was made during a piece: to the host the piece belongs to the monitor.
    var joinedRunningPiece = false
    /// Answers are sent one after the other.
    var nextAnswer = 0
    /// End of the current reply and the gap behind it.
    var busyUntil = 0
    /// Outdated values for the next packets of 0x0031, which the monitor updates late.
    var lag: [(type: WorkoutType, duration: UInt32, unit: DurationType)] = []
    var answers = 0
    /// The last finished drive; its samples stay until the next one begins.
    var finishedDrive: Stroke?
    /// Number of force samples already sent of the drive that began at `catchMilliseconds`.
    var fetchedSamples = (catchMilliseconds: -1, count: 0)
}
