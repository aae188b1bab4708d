/// Name of a command: the last level of a command topic, or the verb in the control socket's method.
package enum CommandVerb: String, CaseIterable, Sendable {
    // To the gateway.
    case ping, diag, reload, replay, announce, ack, crew, forget
    // To an erg, or to every one.
    case assign, workout, terminate, release, identify, rate

    /// Whether the gateway answers it, not an erg.
    package var isForGateway: Bool {
        switch self {
        case .ping, .diag, .reload, .replay, .announce, .ack, .crew, .forget: true
        case .assign, .workout, .terminate, .release, .identify, .rate: false
        }
    }

    /// Whether it changes the monitor's display or the recording. Needs `commands.enabled`.
    package var changesMonitor: Bool {
        switch self {
        case .workout, .terminate, .release, .rate: true
        case .ping, .diag, .reload, .replay, .announce, .ack, .crew, .forget, .assign, .identify:
            false
        }
    }

    /// Whether it erases records permanently. Needs `commands.forget`.
    package var erases: Bool { self == .forget }

    /// Whether repeating it may change something, so that the gateway must detect repeated requests.
    package var hasEffect: Bool {
        switch self {
        case .ping, .diag, .announce, .identify: false
        case .reload, .replay, .ack, .crew, .forget, .assign, .workout, .terminate, .release, .rate:
            true
        }
    }
}
