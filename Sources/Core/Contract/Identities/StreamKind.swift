import Rowing

/// A durable stream of a station or of the gateway: its messages are numbered 1, 2, 3, ...
///
/// The raw values are written into the ring on disk: they are never reused for anything else.
package enum StreamKind: UInt8, CaseIterable, Sendable {
    /// The gateway's own: a session's events are the other kinds.
    case gatewayEvent = 1
    case session
    case stroke
    case force
    case split
    case summary
    case gap
    case manifest

    /// The last level of the topic, and the `kind` of the payload.
    package var topicName: String {
        switch self {
        case .gatewayEvent: "event"
        case .session: "session"
        case .stroke: "stroke"
        case .force: "force"
        case .split: "split"
        case .summary: "summary"
        case .gap: "gap"
        case .manifest: "manifest"
        }
    }

    package init?(topicName: String) {
        guard let kind = Self.allCases.first(where: { $0.topicName == topicName }) else {
            return nil
        }
        self = kind
    }

    /// The gateway has one stream of its own, an erg all the others.
    package var isOfGateway: Bool { self == .gatewayEvent }
}

extension SessionEvent {
    /// The durable stream that carries the event; nil for what is only retained.
    package var stream: StreamKind? {
        switch self {
        case .session: .session
        case .stroke: .stroke
        case .force: .force
        case .split: .split
        case .summary: .summary
        case .gap: .gap
        case .state: nil
        }
    }
}
