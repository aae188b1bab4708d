/// What can be asked: the last level of a command topic, or a method of the control socket.
enum CommandVerb: String, CaseIterable, Sendable {
    // To the gateway.
    case ping, diag, reload, replay
    // To an erg, or to every one.
    case assign, workout, terminate, release, identify, rate

    /// Answered by the gateway itself, not by one of its ergs.
    var isForGateway: Bool {
        switch self {
        case .ping, .diag, .reload, .replay: true
        case .assign, .workout, .terminate, .release, .identify, .rate: false
        }
    }

    /// Changes what a rower sees or whether the erg is recorded: off unless `commands.enabled`.
    var changesMonitor: Bool {
        switch self {
        case .workout, .terminate, .release, .rate: true
        case .ping, .diag, .reload, .replay, .assign, .identify: false
        }
    }

    /// Whether to do it twice is not the same as to do it once, so that it is remembered.
    var hasEffect: Bool {
        switch self {
        case .ping, .diag, .identify: false
        case .reload, .replay, .assign, .workout, .terminate, .release, .rate: true
        }
    }
}
