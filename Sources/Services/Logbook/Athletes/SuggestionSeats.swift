import Bytes
import Contract
import LogbookStores
import MQTTClient
import Suggestions
import Synchronization
import Timeline

/// Puts what was accepted on the monitor at which its athlete sits, once.
///
/// It looks when somebody sits down, when the monitor in front of them comes to rest, and when something
/// is accepted while they sit there. A monitor that somebody has set to a workout, that is rowed at or
/// shows a result is left alone; should a piece begin meanwhile, the gateway refuses.
final class SuggestionSeats: Sendable {
    /// As whom the logbook sends what was accepted; coaches see it beside the command.
    static let sender = "suggestions"

    /// Places that are followed: whoever may publish can make up any number.
    private static let mostPlaces = 1024

    private struct Order {
        let athlete: String
        let suggestion: String
        let sent: BootInstant
    }

    private struct State {
        /// Who sits at a monitor that waits for somebody to choose.
        var seated: [LiveBoard.Place: String] = [:]
        /// Places that are being looked at: a flood of states is one question each.
        var looking: Set<LiveBoard.Place> = []
        /// By the command's id.
        var underWay: [String: Order] = [:]
    }

    private let room: LiveRoom
    private let commands: CommandRoom
    private let reader: StoreQueue
    private let writer: StoreQueue
    private let desk: SuggestionDesk
    private let isOurs: @Sendable (GatewayID) -> Bool
    private let state = Mutex(State())

    /// - Parameter isOurs: whether it is this logbook, of those that share a store, that looks after the
    ///   athletes who sit down at a gateway.
    init(
        room: LiveRoom, commands: CommandRoom, reader: StoreQueue, writer: StoreQueue,
        desk: SuggestionDesk,
        isOurs: @escaping @Sendable (GatewayID) -> Bool = { _ in true }
    ) {
        (self.room, self.commands, self.desk) = (room, commands, desk)
        (self.reader, self.writer) = (reader, writer)
        self.isOurs = isOurs
    }

    /// What an erg says of itself; anything else is none of ours.
    func hear(_ message: IncomingMessage) {
        guard let (gateway, topic) = TopicMap.read(message.topic),
            case .retained(.state(let station)) = topic
        else { return }
        let place = LiveBoard.Place(gateway: gateway, erg: station)
        let athlete = Self.waiting(message.payload)
        let isNews = state.withLock { state in
            guard state.seated[place] != athlete,
                athlete == nil || state.seated.count < Self.mostPlaces
            else { return false }
            state.seated[place] = athlete
            return athlete != nil
        }
        if isNews, let athlete, isOurs(gateway) { look(place, athlete) }
    }

    /// Who waits for something to row; nil for nobody.
    private static func waiting(_ payload: [UInt8]) -> String? {
        guard payload.count <= 32 * 1024,
            let fields = try? JSONObject(parsing: payload),
            let athlete = fields.text("athlete_id"), AthleteID.isValid(athlete)
        else { return nil }
        switch fields.text("state") {
        case "idle": return athlete
        // Set to nothing in particular: whoever pulls begins.
        case "ready" where fields.text("session_type") == "just_row": return athlete
        default: return nil
        }
    }

    /// Something was accepted: its athlete may sit somewhere.
    func accepted(by athlete: String) {
        let places = state.withLock { state in
            state.seated.filter { $0.value == athlete }.map(\.key).sorted()
        }
        if let place = places.first { look(place, athlete) }
    }

    private func look(_ place: LiveBoard.Place, _ athlete: String) {
        guard let station = place.erg, room.knows(place),
            state.withLock({ $0.looking.insert(place).inserted })
        else { return }
        reader.readAhead { [self] store in
            state.withLock { _ = $0.looking.remove(place) }
            try put(athlete, at: place, station, store)
            return false
        }
    }

    private func put(
        _ athlete: String, at place: LiveBoard.Place, _ station: StationID,
        _ store: any LogbookStore
    ) throws {
        let (now, clock) = room.present
        let found = try desk.suggestions(
            to: athlete, in: store, at: clock.unixMilliseconds(at: now),
            machine: room.machine(at:_:))
        let machine = room.machine(at: place.gateway, station) ?? .rower
        let next = found.open.first {
            $0.state == .accepted && $0.word?.setAt == nil && $0.machine == machine
        }
        guard let next else { return }
        let isFree = state.withLock { state in
            state.underWay = state.underWay.filter {
                $0.value.sent.duration(to: now) < CommandLedger.patience
            }
            return state.seated[place] == athlete
                && !state.underWay.values.contains {
                    $0.athlete == athlete && $0.suggestion == next.id
                }
        }
        guard isFree else { return }
        let order = Order(athlete: athlete, suggestion: next.id, sent: now)
        commands.order(.workout, next.workout.order, at: place, by: Self.sender) { [self] id in
            state.withLock { $0.underWay[id] = order }
        }
    }

    /// What became of a command of ours. One that was refused is tried again when its athlete next sits
    /// down, or the monitor next comes to rest.
    func settled(_ id: String, isDone: Bool) {
        guard let order = state.withLock({ $0.underWay.removeValue(forKey: id) }), isDone else {
            return
        }
        let (now, clock) = room.present
        let at = clock.unixMilliseconds(at: now)
        writer.readAhead { [desk] store in
            try desk.noteSet(order.suggestion, to: order.athlete, in: store, at: at)
            return false
        }
    }
}
