import Rowing

/// A durable stream of a station or of the gateway: its messages are numbered 1, 2, 3, ...
///
/// The raw values are written into the ring on disk: they are never reused for anything else.
package enum StreamKind: UInt8, CaseIterable, Sendable {
    /// The gateway's own: a session's events are other kinds.
    case gatewayEvent = 1
    case session
    case stroke
    case force
    case split
    case summary
    case gap
    case manifest
    case alert
    case rollup
    /// Of all ergs that row.
    case roomRollup
    /// Of every crew: the numbers of a stream would outlive a crew's name.
    case crewRollup

    /// The `kind` of the payload; of an erg, and of `event`, the last level of the topic too.
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
        case .alert: "alert"
        case .rollup: "rollup"
        case .roomRollup: "room_rollup"
        case .crewRollup: "crew_rollup"
        }
    }

    /// The levels of the topic, behind those of the gateway and its erg.
    package var level: String {
        switch self {
        case .roomRollup: "room/rollup"
        case .crewRollup: "crew/rollup"
        default: topicName
        }
    }

    package init?(topicName: String) {
        guard let kind = Self.allCases.first(where: { $0.topicName == topicName }) else {
            return nil
        }
        self = kind
    }

    /// Whether the gateway has it, and no erg.
    package var isOfGatewayAlone: Bool {
        self == .gatewayEvent || self == .roomRollup || self == .crewRollup
    }

    /// Those that the gateway has.
    package static let ofGateway = allCases.filter { $0.isOfGatewayAlone || $0 == .alert }
    /// Those that each erg has.
    package static let ofStation = allCases.filter { !$0.isOfGatewayAlone }

    /// Those that an erg has, or the gateway where it is nil.
    package static func all(of station: StationID?) -> [StreamKind] {
        station == nil ? ofGateway : ofStation
    }
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
