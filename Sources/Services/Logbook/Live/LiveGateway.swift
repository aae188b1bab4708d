import Contract
import LogbookStores
import Timeline

/// The messages on the board of one gateway and its ergs.
struct LiveGateway: Sendable {
    typealias Messages = [LiveBoard.Kind: LiveBoard.Message]

    /// Whether a gateway is online. The retained availability is not sufficient: if the machine hangs, the
    /// broker continues to report `online` for a while.
    enum Presence: String, CaseIterable, Sendable {
        /// The availability is `online`, and the last health message is recent. If its time is unknown,
        /// because the gateway's clock is not set, any other message counts instead.
        case online
        /// The availability is `online`, but no recent health message was received.
        case silent
        case offline
        /// No availability was received, or the broker is not connected.
        case unknown
    }

    /// Two health periods, so that one message may be lost.
    static let healthTimeout = Duration.seconds(Int64(2 * RetainedTopic.healthPeriodSeconds))

    private(set) var own: Messages = [:]
    private(set) var ergs: [StationID: Messages] = [:]

    mutating func add(_ state: LiveBoard.PlaceState, of place: LiveBoard.Place) {
        switch place.kind {
        case .gateway: own = state.messages
        case .erg: if let erg = place.erg { ergs[erg] = state.messages }
        case .crew: break
        }
    }

    /// Returns the presence of the gateway; `unknown` while the broker is not connected.
    func presence(at now: BootInstant, isBrokerConnected: Bool = true) -> Presence {
        guard isBrokerConnected, let availability = own[.availability] else { return .unknown }
        if availability.payload == Array(#""offline""#.utf8) { return .offline }
        guard let health = own[.health],
            let lastSeen = health.hasTrustedTime ? health.timestamp : lastReceived,
            lastSeen.duration(to: now) < Self.healthTimeout
        else { return .silent }
        return .online
    }

    /// The time of the last message from the gateway or one of its ergs. Availability, which the broker can
    /// publish, and messages of unknown time do not count.
    var lastReceived: BootInstant? {
        ([own] + ergs.values).flatMap { $0 }
            .filter { $0.key != .availability && $0.value.hasTrustedTime }
            .map(\.value.timestamp).max()
    }

    /// Returns the gateway's status messages for the store, without a health message of unknown time.
    func statusMessages(of gateway: GatewayID, _ clock: WallClock) -> [GatewayStatusMessage] {
        GatewayStatusMessage.Kind.allCases.compactMap { kind in
            guard let message = LiveBoard.Kind(rawValue: kind.rawValue).flatMap({ own[$0] }),
                message.hasTrustedTime || kind != .health
            else { return nil }
            return GatewayStatusMessage(
                gateway: gateway, kind: kind, reportedAt: clock.unixMilliseconds(at: message.timestamp),
                payload: message.payload)
        }
    }
}
