import Rowing

/// Mending an adapter that does not answer, by the mildest means first.
///
/// A controller that hangs ("command tx timeout" in the kernel's log, one Pi boot in ten by some
/// reports) leaves bluetoothd's calls unanswered. UART radios can only be power-cycled.
struct AdapterLadder: Equatable, Sendable {
    enum Rung: Equatable, Sendable {
        /// Powered off; the room switches it on again as it does with any adapter that is off.
        case powerCycle
        /// bluetooth.service anew, where polkit lets us.
        case restartService
    }

    /// Calls in a row that nobody answered before something is done; one may be bad luck.
    static let patience = 2
    /// Between rungs.
    static let coolDown = Duration.seconds(60)

    private let rungs: [Rung]
    private var unanswered = 0
    private var climbed = 0
    private var notBefore = BootInstant(nanoseconds: 0)

    init(mayRestartService: Bool) {
        rungs = mayRestartService ? [.powerCycle, .restartService] : [.powerCycle]
    }

    /// Nothing was heard of the adapter for so long that mending began.
    var isStuck: Bool { climbed > 0 || unanswered >= Self.patience }

    /// Its last call was not answered.
    var isInDoubt: Bool { unanswered > 0 }

    mutating func noteSilence() { unanswered += 1 }

    mutating func noteAnswer() {
        unanswered = 0
        climbed = 0
    }

    /// The rung to climb now; nil while there is no need, or it is too soon. From the top it begins
    /// again at the bottom.
    mutating func climb(at now: BootInstant) -> Rung? {
        guard unanswered >= Self.patience, now >= notBefore else { return nil }
        defer { climbed += 1 }
        unanswered = 0
        notBefore = now.advanced(by: Self.coolDown)
        return rungs[climbed % rungs.count]
    }

    /// When the next rung is due.
    var deadline: BootInstant? { unanswered >= Self.patience ? notBefore : nil }
}
