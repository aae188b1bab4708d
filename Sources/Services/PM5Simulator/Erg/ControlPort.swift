import PM5Codec

/// The monitor's end of 0x0021 and 0x0022: frames in, frames out, and what they have set.
struct ControlPort: Sendable {
    var parser = FrameParser()
    /// Alternates with every frame that arrived whole.
    var toggle = false
    /// Where the public state machine is while nothing is rowed.
    var publicState = CSAFEState.ready
    var draft = ProgramDraft()
    /// A workout of the public commands, which only GOINUSE puts on the screen.
    var publicDraft: WorkoutGoal?
    var isPublicDraftChecked = false
    /// Screen commands that the display task has not obeyed yet.
    var screens: [ScreenValue] = []
    var lastScreen = ScreenValue.none
    /// The link was made while a piece was being rowed: to the host it is the monitor's own.
    var joinedRunningPiece = false
    /// Answers leave one after the other.
    var nextAnswer = 0
    /// The answer to the frame under way has left by then, and the gap behind it is over.
    var busyUntil = 0
    /// What the next packets of 0x0031 still show, because the monitor updates them late.
    var lag: [(type: WorkoutType, duration: UInt32, unit: DurationType)] = []
    var answers = 0
    /// The last drive that came to its end; its samples stay until the next one begins.
    var finishedDrive: Stroke?
    /// Force samples that were handed out of the drive that began at `catchMilliseconds`.
    var handedOut = (catchMilliseconds: -1, samples: 0)
}
