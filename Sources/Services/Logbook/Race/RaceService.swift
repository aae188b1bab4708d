import Bytes
import Contract
import HostRuntime
import People
import Synchronization
import Timeline
import WebServer

/// Manages the races of a room: creates them for coaches, streams them to readers, and stores them.
///
/// Requests arrive on the web server's thread, and ticks run on a serial queue. A lock protects the shared
/// state.
final class RaceService: LiveEventSource {
    /// The maximum number of stored races, including the current one.
    static let capacity = 16

    private struct State {
        /// Ordered from the oldest to the newest.
        var races: [Race] = []
        /// The number of changes so far. A reader remembers the last version that it received.
        var version: UInt64 = 1
        /// The board's version that the race has applied.
        var boardVersion: UInt64 = 0
        /// Whether the current failure to write the file was logged.
        var isFailureLogged = false
        /// Assignments of athletes that were not sent yet.
        var assignments: [(place: LiveBoard.Place, athlete: String)] = []
        /// The sender of these assignments.
        var assigner = ""
    }

    private let room: LiveRoom
    private let commands: CommandService
    private let runtime: any Runtime
    private let log: SystemLog
    private let file: StateFile?
    /// Stores finished races; nil without a store.
    private let archive: RaceArchive?
    private let executor: SerialQueueExecutor
    private let state = Mutex(State())
    /// Held while the file is written, so that the newest state is written last.
    private let writing = Mutex(())
    // Made by `start` and ended by `stop`, both on the executor.
    private nonisolated(unsafe) var timer: QueueTimer?

    /// - Parameter path: The path of the file that stores the races; nil for none.
    init(
        room: LiveRoom, commands: CommandService, path: String?, archive: RaceArchive? = nil,
        runtime: any Runtime, log: SystemLog
    ) {
        (self.room, self.commands, self.runtime, self.log) = (room, commands, runtime, log)
        self.archive = archive
        file = path.map { StateFile(path: $0) }
        executor = runtime.makeQueue(label: "logbook.races")
        let races = load()
        state.withLock { $0.races = races }
    }

    /// Starts to watch the ergs, until `stop`, on a separate serial queue, because it writes a file.
    func start() {
        executor.async { [self] in
            // A race whose end was not archived before the logbook stopped.
            for race in state.withLock(\.races) { store(race) }
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.advance() }
            timer?.fire(every: LiveRoom.tickInterval)
        }
    }

    func stop() { executor.async { [self] in timer?.cancel() } }

    // MARK: From a page

    /// Handles a coach's request to create a race and returns the answer.
    func create(_ body: [UInt8], by sender: String) -> WebAnswer {
        do throws(CommandFault) {
            let creation = try RaceRequest.creation(from: body, by: sender)
            if let currentRace, currentRace.phase != .over { return Self.raceInProgress }
            let lanes = creation.places.map { RaceLane(at: $0) }
            switch make(creation.settings, lanes, isForced: creation.isForced, by: sender) {
            case .success(let race): return answer(race, status: 201)
            case .failure(let refusal): return refusal.answer
            }
        } catch { return CommandService.refusal(error.code.rawValue, error.message) }
    }

    /// A race that could not be created.
    struct Refusal: Error {
        let answer: WebAnswer
    }

    /// Creates the race of a heat and assigns the athletes of its lanes to the ergs. A race of a regatta that has not
    /// started gives way to it.
    ///
    /// - Parameter lanes: Each with an entry, its name, and its athlete or nil.
    /// - Returns: The race, and the id of the race that gave way to it.
    func setUp(
        _ settings: RaceSettings, _ lanes: [RaceLane], by sender: String
    ) -> Result<(race: Race, replaced: String?), Refusal> {
        let former = currentRace
        let isReplaced = former.map { $0.phase == .ready && $0.settings.regatta != nil } ?? false
        guard former?.phase ?? .over == .over || isReplaced else {
            return .failure(Refusal(answer: Self.raceInProgress))
        }
        let (ergs, assigned) = (Set(lanes.map(\.place)), room.assignments)
        let wanted = lanes.compactMap { lane in lane.athlete.map { (place: lane.place, athlete: $0) } }
        return make(settings, lanes, isForced: true, by: sender, replacing: isReplaced ? former?.id : nil).map
        { race in
            // Other athletes on these ergs, and these athletes on other ergs.
            let cleared = assigned.filter { place, athlete in
                let isWanted = wanted.contains { $0.athlete == athlete }
                let isInPlace = wanted.contains { $0.athlete == athlete && $0.place == place }
                return ergs.contains(place) ? !isInPlace : isWanted
            }.keys.sorted().prefix(RequestedCommand.maximumPlaces)
            if !cleared.isEmpty {
                _ = try? commands.send(
                    SentCommand.Content(
                        verb: .assign, fields: Array("{}".utf8), places: Array(cleared), sender: sender))
            }
            state.withLock { state in
                state.assignments = wanted.filter { assigned[$0.place] != $0.athlete }
                state.assigner = sender
            }
            return (race, isReplaced ? former?.id : nil)
        }
    }

    private func make(
        _ settings: RaceSettings, _ lanes: [RaceLane], isForced: Bool, by sender: String,
        replacing former: String? = nil
    ) -> Result<Race, Refusal> {
        let (id, now) = ("\(runtime.makeULID())", runtime.now())
        let refusal = sendWorkout(
            settings.piece.fields, to: lanes.map(\.place), isForced: isForced, by: sender)
        if let refusal { return .failure(Refusal(answer: refusal)) }
        let race = Race(id, settings, lanes: lanes, at: now)
        change { state in
            state.races.removeAll { $0.id == former }
            state.races = state.races.suffix(Self.capacity - 1) + [race]
            state.boardVersion = 0
        }
        log.notice("\(sender) creates a race of \(lanes.count) ergs")
        return .success(race)
    }

    /// The largest number of assignments that are sent in one tick, because the gateways answer each of them.
    private static let assignmentsPerTick = 4

    private func sendAssignments() {
        let (next, sender) = state.withLock { state in
            let next = state.assignments.prefix(Self.assignmentsPerTick)
            state.assignments.removeFirst(next.count)
            return (next, state.assigner)
        }
        for (place, athlete) in next {
            let fields = JSONWriter.object { $0.field("athlete_id", athlete) }
            commands.sendOwn(.assign, fields, at: place, by: sender) { _ in }
        }
    }

    /// Returns a race of this process's memory; nil for an unknown or archived one.
    func race(_ id: String) -> Race? { state.withLock { $0.races.first { $0.id == id } } }

    /// Handles a coach's action on a race and returns the answer.
    func handleAction(_ body: [UInt8], for id: String, by sender: String) -> WebAnswer {
        do throws(CommandFault) {
            let action = try RaceRequest.action(from: body)
            guard let race = currentRace, race.id == id else { return Self.unknownRace }
            return perform(action, race, by: sender)
        } catch { return CommandService.refusal(error.code.rawValue, error.message) }
    }

    private func perform(_ action: RaceRequest.Action, _ race: Race, by sender: String) -> WebAnswer {
        let now = runtime.now()
        switch action {
        case .start(let seconds, let isForced):
            let waiting = race.activeLanes.filter { $0.status != .armed }
            guard isForced || waiting.isEmpty else { return Self.notReady(waiting) }
            return update(race) { $0.begin(in: .seconds(seconds), at: now) }
        case .arm:
            guard race.phase == .ready else { return Self.wrongPhase(race) }
            return setMonitors(for: race, by: sender) ?? answer(race)
        case .recall:
            let answer = update(race) { $0.recall(at: now) }
            guard case .json = answer else { return answer }
            return setMonitors(for: race, by: sender) ?? answer
        case .scratch(let place): return update(race) { $0.scratch(place) }
        case .disqualify(let place): return update(race) { $0.setDisqualified(place, true) }
        case .reinstate(let place): return update(race) { $0.setDisqualified(place, false) }
        case .end: return update(race) { $0.end(at: now) }
        }
    }

    private func update(_ race: Race, _ apply: (inout Race) -> Bool) -> WebAnswer {
        var changed: Race?
        change { state in
            guard let index = state.races.firstIndex(where: { $0.id == race.id }),
                apply(&state.races[index])
            else { return }
            state.boardVersion = 0
            changed = state.races[index]
        }
        return changed.map { answer($0) } ?? Self.wrongPhase(race)
    }

    /// Sets the monitors of the active lanes to the piece. Returns a refusal, or nil on success.
    private func setMonitors(for race: Race, by sender: String) -> WebAnswer? {
        sendWorkout(
            race.settings.piece.fields, to: race.activeLanes.map(\.place), isForced: true, by: sender)
    }

    /// Sends a `workout` like any other command, so that the coach sees the outcome at each monitor.
    private func sendWorkout(
        _ fields: [UInt8], to places: [LiveBoard.Place], isForced: Bool, by sender: String
    ) -> WebAnswer? {
        let body = JSONWriter.object { json in
            // A unique id, because a gateway remembers ids even if the logbook restarts.
            json.field("request_id", "\(runtime.makeULID())")
            json.field("verb", CommandVerb.workout.rawValue)
            json.list("to", of: places) { json, place in
                json.field("gw", place.gateway.slug)
                json.field("erg", place.erg?.slug)
            }
            json.key("fields")
            json.value(json: isForced ? Self.forced(fields) : fields)
        }
        let answer = commands.submit(body, from: sender)
        if case .json(202, _, _) = answer { return nil }
        return answer
    }

    private static func forced(_ fields: [UInt8]) -> [UInt8] {
        let inside = fields.drop { $0 != UInt8(ascii: "{") }.dropFirst()
        return Array(#"{"force":true,"#.utf8) + inside
    }

    // MARK: From the room

    /// Advances the current race by one tick.
    func advance() {
        sendAssignments()
        guard let race = currentRace, race.isWatched(at: runtime.now()) else { return }
        let seen = state.withLock { $0.boardVersion }
        let (messages, version) = room.messages(of: race.lanes.map(\.place), since: seen)
        let snapshots = messages.compactMapValues(ErgSnapshot.init)
        let now = runtime.now()
        change { state in
            guard let index = state.races.indices.last, state.races[index].id == race.id else {
                return
            }
            if state.boardVersion == seen { state.boardVersion = version }
            state.races[index].advance(to: now) { snapshots[$0] }
        }
    }

    private var currentRace: Race? { state.withLock { $0.races.last } }

    /// Changes the state. Increments the version and saves the races if they changed.
    private func change(_ edit: (inout State) -> Void) {
        let hasChanged = state.withLock { state in
            let before = state.races
            edit(&state)
            guard state.races != before else { return false }
            state.version += 1
            return true
        }
        guard hasChanged else { return }
        save()
        if let race = currentRace { store(race) }
    }

    /// Archives a race that is over and was started, or belongs to a regatta.
    private func store(_ race: Race) {
        let isOfRecord = race.signal != nil || !race.attempts.isEmpty || race.settings.regatta != nil
        guard let archive, race.phase == .over, isOfRecord else { return }
        archive.store(race, runtime.wall(), at: runtime.unixMilliseconds())
    }

    // MARK: To the readers

    /// Returns an event with the current race, or without one if there is none, unless the reader has it
    /// already.
    func events(since seen: inout UInt64) -> [UInt8] {
        let (version, race) = state.withLock { ($0.version, $0.races.last) }
        guard version > seen else { return [] }
        seen = version
        let content = JSONWriter.object { race?.write(to: &$0, runtime.wall()) }
        return Array("event: race\ndata: ".utf8) + content + Array("\n\n".utf8)
    }

    private func answer(_ race: Race, status: UInt32 = 200) -> WebAnswer {
        .json(status: status, JSONWriter.object { race.write(to: &$0, runtime.wall()) })
    }

    // MARK: Storage

    private func save() {
        guard let file else { return }
        writing.withLock { _ in
            let (races, isLogged) = state.withLock { ($0.races, $0.isFailureLogged) }
            let bytes = JSONWriter.object { json in
                json.list("races", of: races) { $1.write(to: &$0, runtime.wall(), withAttempts: true) }
            }
            var hasFailed = false
            do throws(StateFile.Failure) { try file.replace(with: bytes) } catch {
                hasFailed = true
                if !isLogged { log.warning("cannot store the races: \(error); a restart would lose them") }
            }
            state.withLock { $0.isFailureLogged = hasFailed }
        }
    }

    private func load() -> [Race] {
        guard let file else { return [] }
        do throws(StateFile.Failure) {
            guard let bytes = try file.read() else { return [] }
            guard let object = try? JSONObject(parsing: bytes),
                case .list(let values)? = object["races"]
            else {
                log.warning("\(file.path) is not a file of races; ignoring its contents")
                return []
            }
            let clock = runtime.wall()
            return values.suffix(Self.capacity).compactMap { value in
                if case .object(let fields) = value { Race(stored: fields, clock) } else { nil }
            }
        } catch {
            log.warning("cannot read earlier races: \(error)")
            return []
        }
    }
}

extension RaceService {
    private static let unknownRace = WebAnswer.failure(
        status: 404, code: "unknown_race",
        message: "there is no such race, or a later race has replaced it")

    private static let raceInProgress = WebAnswer.failure(
        status: 409, code: "race_under_way",
        message: "there is a race already: end it before you create another one")

    private static func notReady(_ waiting: [RaceLane]) -> WebAnswer {
        let names = waiting.map { "\($0.place.gateway)/\($0.place.erg?.slug ?? "")" }
        return .failure(
            status: 409, code: "not_ready",
            message: "not set to the piece: \(names.joined(separator: ", ")); reset the monitors, "
                + "scratch the ergs, or start with \"force\": true")
    }

    private static func wrongPhase(_ race: Race) -> WebAnswer {
        .failure(
            status: 409, code: "wrong_phase",
            message: race.activeLanes.count < Race.laneCount.lowerBound
                ? "fewer than two ergs are left in the race: end it and create another one"
                : "not allowed while the race is \"\(race.phase.rawValue)\"")
    }
}

extension Race {
    /// The time after the end in which revised results count. The last revision comes a minute after the
    /// piece.
    static let revisionTime = Duration.seconds(600)

    fileprivate func isWatched(at now: BootInstant) -> Bool {
        ended.map { $0.duration(to: now) < Self.revisionTime } ?? true
    }
}

extension RaceSettings.Piece {
    /// The piece as fields of a `workout` command.
    var fields: [UInt8] {
        JSONWriter.object { json in
            switch self {
            case .distance(let meters):
                json.field("type", "distance")
                json.field("distance_m", meters)
            case .time(let seconds):
                json.field("type", "time")
                json.field("duration_s", seconds)
            }
        }
    }
}
