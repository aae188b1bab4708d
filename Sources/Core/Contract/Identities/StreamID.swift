import Rowing

/// A numbered stream of durable records: one kind of one erg or of the gateway.
package struct StreamID: Hashable, Sendable {
    /// nil for a stream of the gateway.
    package let station: StationID?
    /// Kind of the records.
    package let kind: StreamKind

    package init(station: StationID?, kind: StreamKind) {
        self.station = station
        self.kind = kind
    }
}

/// Kind of a durable stream of an erg or of the gateway. Its messages are numbered 1, 2, 3, ...
///
/// The ring log stores the raw values, so they must never be reused.
package enum StreamKind: UInt8, CaseIterable, Sendable {
    /// Events of the gateway.
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
    /// Minutes of all rowing ergs together.
    case roomRollup
    /// Minutes of all crews. Crews share one stream, because a crew may be removed.
    case crewRollup

    /// The `kind` of the payload. Mostly also the last level of the topic; see `level`.
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

    /// The levels of the topic after those of the gateway and erg.
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

    /// Whether only the gateway has this stream.
    package var isGatewayOnly: Bool {
        self == .gatewayEvent || self == .roomRollup || self == .crewRollup
    }

    /// The streams of the gateway.
    package static let ofGateway = allCases.filter { $0.isGatewayOnly || $0 == .alert }
    /// The streams of each erg.
    package static let ofStation = allCases.filter { !$0.isGatewayOnly }

    /// The streams of an erg, or of the gateway if `station` is nil.
    package static func all(of station: StationID?) -> [StreamKind] {
        station == nil ? ofGateway : ofStation
    }
}

extension SessionEvent {
    /// The durable stream of the event; nil for retained state.
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
