import Bytes
import Contract
import HostRuntime
import Synchronization
import Timeline
import WebServer

/// The races of a room: made by coaches, told to everybody who looks, kept over a restart.
///
/// Pages ask on the web server's thread, ticks come on the live room's: a lock stands between them.
final class RaceDesk: LiveSource {
    /// Races that are remembered, the present one among them.
    static let capacity = 16

    private struct State {
        /// The newest one last.
        var races: [Race] = []
        /// Counts changes; a reader remembers the number that it has seen.
        var version: UInt64 = 1
        /// The board's number when the race last looked.
        var boardSeen: UInt64 = 0
        /// Whether a failure to keep was said.
        var isFailureSaid = false
    }

    private let room: LiveRoom
    private let commands: CommandRoom
    private let runtime: any Runtime
    private let log: SystemLog
    private let file: StateFile?
    private let executor: SerialQueueExecutor
    private let state = Mutex(State())
    /// Held while the file is written, so that the newest races are the last ones in it.
    private let writing = Mutex(())
    // Made by `start` and ended by `stop`, both on the executor.
    private nonisolated(unsafe) var timer: QueueTimer?

    /// - Parameter path: of the file that outlives a restart; nil for none.
    init(
        room: LiveRoom, commands: CommandRoom, path: String?, runtime: any Runtime, log: SystemLog
    ) {
        (self.room, self.commands, self.runtime, self.log) = (room, commands, runtime, log)
        file = path.map { StateFile(path: $0) }
        executor = runtime.makeQueue(label: "logbook.races")
        let kept = load()
        state.withLock { $0.races = kept }
    }

    /// Begins to watch what the ergs do, until `stop`; on a queue of its own, since it writes a file.
    func start() {
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.advance() }
            timer?.fire(every: LiveRoom.pace)
        }
    }

    func stop() { executor.async { [self] in timer?.cancel() } }

    // MARK: From a page

    /// What is answered to a coach who wants a race.
    func make(_ body: [UInt8], by sender: String) -> WebAnswer {
        do throws(CommandFault) {
            let making = try RaceIntake.making(body, by: sender)
            if let present, present.phase != .over { return Self.underWay }
            let (id, now) = ("\(runtime.makeULID())", runtime.now())
            let refusal = arm(
                making.places, making.fields, isForced: making.isForced, by: sender)
            if let refusal { return refusal }
            let race = Race(id, making.terms, making.places, at: now)
            change { state in
                state.races = state.races.suffix(Self.capacity - 1) + [race]
                state.boardSeen = 0
            }
            log.notice("\(sender) makes a race of \(making.places.count) ergs")
            return told(race, status: 201)
        } catch { return CommandRoom.refusal(error.code.rawValue, error.message) }
    }

    /// What is answered to a coach who does something with a race.
    func take(_ body: [UInt8], for id: String, by sender: String) -> WebAnswer {
        do throws(CommandFault) {
            let step = try RaceIntake.step(body)
            guard let race = present, race.id == id else { return Self.unknown }
            return perform(step, race, by: sender)
        } catch { return CommandRoom.refusal(error.code.rawValue, error.message) }
    }

    private func perform(_ step: RaceIntake.Step, _ race: Race, by sender: String) -> WebAnswer {
        let now = runtime.now()
        switch step {
        case .start(let seconds, let isForced):
            let waiting = race.entered.filter { $0.standing != .armed }
            guard isForced || waiting.isEmpty else { return Self.notReady(waiting) }
            return update(race) { $0.begin(in: .seconds(seconds), at: now) }
        case .arm:
            guard race.phase == .ready else { return Self.wrongPhase(race) }
            return set(race, by: sender) ?? told(race)
        case .recall:
            let answer = update(race) { $0.recall() }
            guard case .json = answer else { return answer }
            return set(race, by: sender) ?? answer
        case .scratch(let place): return update(race) { $0.scratch(place) }
        case .end: return update(race) { $0.end(at: now) }
        }
    }

    private func update(_ race: Race, _ step: (inout Race) -> Bool) -> WebAnswer {
        var changed: Race?
        change { state in
            guard let index = state.races.firstIndex(where: { $0.id == race.id }),
                step(&state.races[index])
            else { return }
            state.boardSeen = 0
            changed = state.races[index]
        }
        return changed.map { told($0) } ?? Self.wrongPhase(race)
    }

    /// Sets the monitors of those that are in; a refusal, or nil.
    private func set(_ race: Race, by sender: String) -> WebAnswer? {
        arm(
            race.entered.map(\.place), race.terms.piece.fields, isForced: true, by: sender)
    }

    /// By the way of every command, so that the coach sees what each monitor made of it.
    private func arm(
        _ places: [LiveBoard.Place], _ fields: [UInt8], isForced: Bool, by sender: String
    ) -> WebAnswer? {
        let body = JSONWriter.object { json in
            // A gateway remembers ids longer than a logbook that is restarted.
            json.field("request_id", "\(runtime.makeULID())")
            json.field("verb", CommandVerb.workout.rawValue)
            json.list("to", of: places) { json, place in
                json.field("gw", place.gateway.slug)
                json.field("erg", place.erg?.slug)
            }
            json.key("fields")
            json.value(json: isForced ? Self.forced(fields) : fields)
        }
        let answer = commands.take(body, from: sender)
        if case .json(202, _, _) = answer { return nil }
        return answer
    }

    private static func forced(_ fields: [UInt8]) -> [UInt8] {
        let inside = fields.drop { $0 != UInt8(ascii: "{") }.dropFirst()
        return Array(#"{"force":true,"#.utf8) + inside
    }

    // MARK: From the room

    /// One tick: time has passed, and ergs may have said something.
    func advance() {
        guard let race = present, race.isWatched(at: runtime.now()) else { return }
        let seen = state.withLock { $0.boardSeen }
        let (messages, version) = room.messages(of: race.lanes.map(\.place), since: seen)
        let readings = messages.compactMapValues(RaceReading.init)
        let now = runtime.now()
        change { state in
            guard let index = state.races.indices.last, state.races[index].id == race.id else {
                return
            }
            if state.boardSeen == seen { state.boardSeen = version }
            state.races[index].advance(to: now) { readings[$0] }
        }
    }

    private var present: Race? { state.withLock { $0.races.last } }

    /// Notes and keeps what `step` changes.
    private func change(_ step: (inout State) -> Void) {
        let isNews = state.withLock { state in
            let before = state.races
            step(&state)
            guard state.races != before else { return false }
            state.version += 1
            return true
        }
        if isNews { keep() }
    }

    // MARK: To the readers

    /// What a reader is told that has seen the desk at `seen`: the present race, or that there is none.
    func events(since seen: inout UInt64) -> [UInt8] {
        let (version, race) = state.withLock { ($0.version, $0.races.last) }
        guard version > seen else { return [] }
        seen = version
        let content = JSONWriter.object { race?.write(to: &$0, runtime.wall()) }
        return Array("event: race\ndata: ".utf8) + content + Array("\n\n".utf8)
    }

    /// The results of a race as a file.
    func sheet(of id: String) -> WebAnswer {
        guard let race = state.withLock({ $0.races.first { $0.id == id } }) else {
            return Self.unknown
        }
        return .content(
            type: "text/csv; charset=utf-8", RaceSheet.bytes(of: race),
            headers: [
                (name: "Content-Disposition", value: "attachment; filename=\"race-\(id).csv\"")
            ])
    }

    private func told(_ race: Race, status: UInt32 = 200) -> WebAnswer {
        .json(status: status, JSONWriter.object { race.write(to: &$0, runtime.wall()) })
    }

    // MARK: Over a restart

    private func keep() {
        guard let file else { return }
        writing.withLock { _ in
            let (races, isSaid) = state.withLock { ($0.races, $0.isFailureSaid) }
            let bytes = JSONWriter.object { json in
                json.list("races", of: races) { $1.write(to: &$0, runtime.wall()) }
            }
            var hasFailed = false
            do throws(StateFile.Failure) { try file.replace(with: bytes) } catch {
                hasFailed = true
                if !isSaid { log.warning("a race would not outlive a restart: \(error)") }
            }
            state.withLock { $0.isFailureSaid = hasFailed }
        }
    }

    private func load() -> [Race] {
        guard let file else { return [] }
        do throws(StateFile.Failure) {
            guard let bytes = try file.read() else { return [] }
            guard let object = try? JSONObject(parsing: bytes),
                case .list(let values)? = object["races"]
            else {
                log.warning("\(file.path) is none of ours: the races in it are forgotten")
                return []
            }
            let clock = runtime.wall()
            return values.suffix(Self.capacity).compactMap { value in
                if case .object(let fields) = value { Race(kept: fields, clock) } else { nil }
            }
        } catch {
            log.warning("earlier races are not known: \(error)")
            return []
        }
    }
}

extension RaceDesk {
    private static let unknown = WebAnswer.failure(
        status: 404, code: "unknown_race",
        message: "there is no such race, or a later one has taken its place")

    private static let underWay = WebAnswer.failure(
        status: 409, code: "race_under_way",
        message: "there is a race already: end it before another one is made")

    private static func notReady(_ waiting: [RaceLane]) -> WebAnswer {
        let names = waiting.map { "\($0.place.gateway)/\($0.place.erg?.slug ?? "")" }
        return .failure(
            status: 409, code: "not_ready",
            message: "not set to the piece: \(names.joined(separator: ", ")); set them again, "
                + "scratch them, or start with \"force\": true")
    }

    private static func wrongPhase(_ race: Race) -> WebAnswer {
        .failure(
            status: 409, code: "wrong_phase",
            message: race.entered.count < Race.lanes.lowerBound
                ? "fewer than two ergs are left in the race: end it, and make another one"
                : "not while the race is \"\(race.phase.rawValue)\"")
    }
}

extension Race {
    /// How long revisions of a result are waited for: the last one comes a minute after the piece.
    static let revisions = Duration.seconds(600)

    fileprivate func isWatched(at now: BootInstant) -> Bool {
        ended.map { $0.duration(to: now) < Self.revisions } ?? true
    }
}

extension RaceTerms.Piece {
    /// As a `workout` has it.
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
