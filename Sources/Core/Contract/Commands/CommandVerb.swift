/// What can be asked: the last level of a command topic, or a method of the control socket.
package enum CommandVerb: String, CaseIterable, Sendable {
    // To the gateway.
    case ping, diag, reload, replay, announce, ack, crew, forget
    // To an erg, or to every one.
    case assign, workout, terminate, release, identify, rate

    /// Answered by the gateway itself, not by one of its ergs.
    package var isForGateway: Bool {
        switch self {
        case .ping, .diag, .reload, .replay, .announce, .ack, .crew, .forget: true
        case .assign, .workout, .terminate, .release, .identify, .rate: false
        }
    }

    /// Changes what a rower sees or whether the erg is recorded: off unless `commands.enabled`.
    package var changesMonitor: Bool {
        switch self {
        case .workout, .terminate, .release, .rate: true
        case .ping, .diag, .reload, .replay, .announce, .ack, .crew, .forget, .assign, .identify:
            false
        }
    }

    /// Erases for good: off unless `commands.forget`, whatever else is on.
    package var erases: Bool { self == .forget }

    /// Whether to do it twice is not the same as to do it once, so that it is remembered.
    package var hasEffect: Bool {
        switch self {
        case .ping, .diag, .announce, .identify: false
        case .reload, .replay, .ack, .crew, .forget, .assign, .workout, .terminate, .release, .rate:
            true
        }
    }
}
