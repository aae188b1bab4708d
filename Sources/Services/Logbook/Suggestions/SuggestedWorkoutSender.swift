import Bytes
import Contract
import LogbookStores
import Suggestions
import Synchronization
import Timeline

/// Sends an accepted workout to the monitor of the erg to which its athlete is assigned, once.
///
/// Checks for an accepted workout when an athlete is assigned, when their monitor becomes idle, and when they
/// accept a suggestion while assigned. Does not change a monitor that has another workout, is in use or shows
/// a result. If a piece begins in the meantime, the gateway rejects the command.
final class SuggestedWorkoutSender: Sendable {
    /// The sender of these commands, shown to coaches.
    static let sender = "suggestions"

    /// The largest number of tracked ergs. A publisher could invent any number.
    private static let maximumPlaces = 1024

    private struct PendingCommand {
        let athlete: String
        let suggestion: String
        let sentAt: BootInstant
    }

    private struct State {
        /// The athlete assigned to each erg whose monitor has no workout.
        var waitingAthletes: [LiveBoard.Place: String] = [:]
        /// Ergs with a queued check, so that many states of one erg cause only one check.
        var placesBeingChecked: Set<LiveBoard.Place> = []
        /// Pending commands by id.
        var pendingCommands: [String: PendingCommand] = [:]
    }

    private let room: LiveRoom
    private let commands: CommandService
    private let reader: StoreQueue
    private let writer: StoreQueue
    private let suggestionService: SuggestionService
    private let isResponsible: @Sendable (GatewayID) -> Bool
    private let currentAthlete: @Sendable (String) -> String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isResponsible: whether this logbook handles a gateway, if several share the store.
    ///   - currentAthlete: returns the kept athlete for a merged id, which gateways may still assign.
    init(
        room: LiveRoom, commands: CommandService, reader: StoreQueue, writer: StoreQueue,
        suggestionService: SuggestionService,
        isResponsible: @escaping @Sendable (GatewayID) -> Bool = { _ in true },
        currentAthlete: @escaping @Sendable (String) -> String = { $0 }
    ) {
        (self.room, self.commands, self.suggestionService) = (room, commands, suggestionService)
        (self.reader, self.writer) = (reader, writer)
        (self.isResponsible, self.currentAthlete) = (isResponsible, currentAthlete)
    }

    /// Handles the state message of an erg; nil for a message without a valid state.
    func handleState(_ fields: JSONObject?, of station: StationID, at gateway: GatewayID) {
        let place = LiveBoard.Place(gateway: gateway, erg: station)
        let athlete = fields.flatMap(Self.waitingAthlete).map(currentAthlete)
        let mustCheck = state.withLock { state in
            guard state.waitingAthletes[place] != athlete,
                athlete == nil || state.waitingAthletes.count < Self.maximumPlaces
            else { return false }
            state.waitingAthletes[place] = athlete
            return athlete != nil
        }
        if mustCheck, let athlete, isResponsible(gateway) { scheduleCheck(of: place, athlete) }
    }

    /// Returns the athlete assigned to a monitor without a workout; nil if there is none.
    private static func waitingAthlete(in fields: JSONObject) -> String? {
        guard let athlete = fields.text("athlete_id"), AthleteID.isValid(athlete) else { return nil }
        switch fields.text("state") {
        case "idle": return athlete
        // A just-row session has no workout and starts with the first stroke.
        case "ready" where fields.text("session_type") == "just_row": return athlete
        default: return nil
        }
    }

    /// Checks the erg to which the athlete is assigned, if any.
    func suggestionAccepted(by id: String) {
        let athlete = currentAthlete(id)
        let places = state.withLock { state in
            state.waitingAthletes.filter { $0.value == athlete }.map(\.key).sorted()
        }
        if let place = places.first { scheduleCheck(of: place, athlete) }
    }

    private func scheduleCheck(of place: LiveBoard.Place, _ athlete: String) {
        guard let station = place.erg, room.contains(place),
            state.withLock({ $0.placesBeingChecked.insert(place).inserted })
        else { return }
        reader.runInBackground { [self] store in
            state.withLock { _ = $0.placesBeingChecked.remove(place) }
            try sendAcceptedWorkout(to: athlete, at: place, station, store)
            return false
        }
    }

    private func sendAcceptedWorkout(
        to athlete: String, at place: LiveBoard.Place, _ station: StationID,
        _ store: any LogbookStore
    ) throws {
        let (now, clock) = room.currentTime
        let found = try suggestionService.suggestions(
            to: athlete, in: store, at: clock.unixMilliseconds(at: now),
            machine: room.machine(at:_:))
        let machine = room.machine(at: place.gateway, station) ?? .rower
        let next = found.open.first {
            $0.state == .accepted && $0.response?.setAt == nil && $0.machine == machine
        }
        guard let next else { return }
        let canSend = state.withLock { state in
            state.pendingCommands = state.pendingCommands.filter {
                $0.value.sentAt.duration(to: now) < SentCommands.replyTimeout
            }
            return state.waitingAthletes[place] == athlete
                && !state.pendingCommands.values.contains {
                    $0.athlete == athlete && $0.suggestion == next.id
                }
        }
        guard canSend else { return }
        let command = PendingCommand(athlete: athlete, suggestion: next.id, sentAt: now)
        commands.sendOwn(.workout, next.workout.order, at: place, by: Self.sender) { [self] id in
            state.withLock { $0.pendingCommands[id] = command }
        }
    }

    /// Handles the end of a command. A rejected command is retried when the athlete is assigned again or the
    /// monitor becomes idle again.
    func commandEnded(_ id: String, isDone: Bool) {
        guard let command = state.withLock({ $0.pendingCommands.removeValue(forKey: id) }), isDone
        else {
            return
        }
        let (now, clock) = room.currentTime
        let at = clock.unixMilliseconds(at: now)
        writer.runInBackground { [suggestionService] store in
            try suggestionService.markSent(
                command.suggestion, of: command.athlete, in: store, at: at)
            return false
        }
    }
}
