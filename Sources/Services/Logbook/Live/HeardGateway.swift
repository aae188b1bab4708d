import Contract
import LogbookStores
import Timeline

/// What the board has of one gateway: its own messages, and those of its ergs.
struct HeardGateway: Sendable {
    typealias Messages = [LiveBoard.Kind: LiveBoard.Message]

    /// Whether a gateway is there. The broker's word alone is not enough: a gateway whose machine
    /// stands still says nothing, and the broker goes on calling it online.
    enum Presence: String, CaseIterable, Sendable {
        /// `online`, and its health is young; of one that nobody can date, that of a gateway whose clock is
        /// not set, what else it says.
        case online
        /// `online`, and nothing is heard of its health.
        case silent
        case offline
        /// The broker has said nothing, or is away itself.
        case unknown
    }

    /// Two periods of health: so long one may be missed.
    static let patience = Duration.seconds(Int64(2 * RetainedTopic.healthPeriodSeconds))

    private(set) var own: Messages = [:]
    private(set) var ergs: [StationID: Messages] = [:]

    mutating func take(_ kept: LiveBoard.Kept, of place: LiveBoard.Place) {
        switch place.kind {
        case .gateway: own = kept.messages
        case .erg: if let erg = place.erg { ergs[erg] = kept.messages }
        case .crew: break
        }
    }

    /// - Parameter hearsBroker: without it nothing is known of the present.
    func presence(at now: BootInstant, hearsBroker: Bool = true) -> Presence {
        guard hearsBroker, let availability = own[.availability] else { return .unknown }
        if availability.payload == Array(#""offline""#.utf8) { return .offline }
        guard let health = own[.health], let said = health.isDated ? health.since : heard,
            said.duration(to: now) < Self.patience
        else { return .silent }
        return .online
    }

    /// When anything was last heard of the gateway or an erg of it; the broker's own words, and what
    /// nobody can date, do not count.
    var heard: BootInstant? {
        ([own] + ergs.values).flatMap { $0 }
            .filter { $0.key != .availability && $0.value.isDated }
            .map(\.value.since).max()
    }

    /// What it said of itself, to be kept; without a health that nobody can date.
    func words(of gateway: GatewayID, _ clock: WallClock) -> [GatewayWord] {
        GatewayWord.Kind.allCases.compactMap { kind in
            guard let message = LiveBoard.Kind(rawValue: kind.rawValue).flatMap({ own[$0] }),
                message.isDated || kind != .health
            else { return nil }
            return GatewayWord(
                gateway: gateway, kind: kind, heardAt: clock.unixMilliseconds(at: message.since),
                payload: message.payload)
        }
    }
}
