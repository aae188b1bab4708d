import DeliveryProof
import Foundation
import HostRuntime
import LogbookStores
import MQTTClient
import Synchronization
import TestSupport
import Timeline
import WebPages

@testable import Contract
@testable import Logbook
@testable import WebServer

/// A logbook with a store that tests fill. Tests send requests to its router without a web server.
final class InterfaceFixture {
    let folder: TemporaryFolder
    let store: SQLStore
    let room: LiveRoom
    let reader: StoreQueue
    let writer: StoreQueue
    let commands: CommandService
    let workoutSender: SuggestedWorkoutSender
    let directory: UserDirectory
    let checkIn: CheckInService
    let races: RaceService
    let uploads: UploadService?
    private let router: LogbookRouter
    private var cookies: [Role: String] = [:]

    /// The athlete of the token with the role `athlete`.
    static let athlete = "zoe"

    /// - Parameters:
    ///   - server: the connection string of an empty database; nil for a SQLite file.
    ///   - calendar: the club's calendar.
    ///   - openCheckIn: who can check in without a sign-in.
    ///   - wall: who can see the wall without a sign-in.
    ///   - clock: the runtime of sign-ins, check-ins and links to group results.
    ///   - roomClock: the runtime of the room, whose time decides which planned workouts are hidden.
    ///   - network: the addresses of the local network.
    ///   - prepared: the services to which sessions are uploaded; nil for none.
    init(
        server: String? = nil, calendar: ClubCalendar = .utc, openCheckIn: CheckInService.Audience = .nobody,
        wall: AccessControl.Audience = .nobody, clock: any Runtime = AdvancedClock(),
        roomClock: any Runtime = SystemRuntime(), network: Set<ClientAddress> = [],
        uploads prepared: UploadSettings.Prepared? = nil
    ) throws {
        folder = try TemporaryFolder()
        let address: StoreAddress =
            if let server { .postgres(try PostgreSQLAddress(server)) } else {
                .sqlite(path: folder.path("logbook.db"))
            }
        store = try address.open(for: .recording)
        let (runtime, log) = (SystemRuntime(), SystemLog(subsystem: "test", threshold: .critical))
        room = LiveRoom(runtime: roomClock, log: log)
        reader = StoreQueue(runtime: runtime, log: log) { () throws(StoreFailure) in
            try address.open(for: .readOnly)
        }
        writer = StoreQueue(runtime: runtime, log: log) { () throws(StoreFailure) in
            try address.open(for: .editing)
        }
        commands = CommandService(room: room, runtime: runtime, log: log)
        let history = AthleteHistory(in: calendar)
        let directory = UserDirectory(reader: reader, writer: writer, runtime: runtime)
        try directory.read(from: store)
        self.directory = directory
        workoutSender = SuggestedWorkoutSender(
            room: room, commands: commands, reader: reader, writer: writer,
            suggestionService: SuggestionService(history: history),
            currentAthlete: directory.currentAthlete)
        commands.onOwnCommandEnded(workoutSender.commandEnded)
        let file = TokenFile(path: folder.path("tokens"))
        let access = AccessControl(file, users: directory, wall: wall, runtime: clock, log: log)
        checkIn = CheckInService(
            for: openCheckIn, reader: reader, claims: ErgClaimService(room: room, commands: commands),
            runtime: clock, log: log, isInNetwork: network.contains)
        let pages = Pages(of: PageClub(timeZone: calendar.name))
        let records = RecordRequestHandler(
            reader: reader, writer: writer, room: room, history: history,
            workoutSender: workoutSender, directory: directory)
        let reading = SessionReading(history: history, room: room)
        uploads = prepared.map { [writer] in
            UploadService($0, writer: writer, reading: reading, runtime: clock, log: log)
        }
        races = RaceService(
            room: room, commands: commands, path: nil, archive: RaceArchive(writer: writer, log: log),
            runtime: runtime, log: log)
        router = LogbookRouter(
            pages: pages, room: room, commands: commands, races: races,
            regattas: RegattaHandler(
                reader: reader, writer: writer, races: races, runtime: runtime, log: log),
            access: access, records: records,
            users: UserRequestHandler(
                .init(reader: reader, writer: writer, directory: directory), access: access,
                configuredAddress: "http://boathouse.local:8080/", runtime: clock, log: log),
            pieceLinks: PieceLinkHandler(
                records, access: access, pages: pages,
                configuredAddress: "http://boathouse.local:8080/", runtime: clock, log: log),
            uploads: UploadRequestHandler(
                records, uploads, permitsPlainHTTP: prepared != nil, runtime: clock, log: log),
            checkIn: checkIn)
        let holders = Role.allCases.map { role in
            let token = Token(by: runtime)
            cookies[role] = "rowgate=\(token.text)"
            return TokenHolder(
                name: role.rawValue, role: role,
                athlete: role == .athlete ? Self.athlete : nil, digest: token.digest,
                createdMilliseconds: 0)
        }
        try file.replace(with: holders)
    }

    func save(_ messages: [Traffic.Message]) throws {
        var batch = StoreBatch(now: 1_788_627_100_000)
        batch.records = try messages.map { message in
            guard let (gateway, _) = TopicPrefix.standard.parse(message.topic), let stream = message.stream
            else { throw TestSupportError("no record: \(message.topic)") }
            return try ValidatedRecord(message.payload, of: stream, from: gateway)
        }
        _ = try store.commit(batch)
    }

    /// Saves five sessions that end three weeks ago, so that there is a suggestion.
    func saveSessionsBeforeBreak(of athlete: String) throws {
        var traffic = Traffic()
        let hours = (Int64(Date().timeIntervalSince1970 * 1000) - 1_788_627_000_000) / 3_600_000
        for number in 0..<5 {
            let hour = Int(hours) - 24 * (21 + number)
            let piece = traffic.piece(
                "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)", hour: hour, 200, by: athlete)
            try save(piece.map { $0.at(hour: hour) })
        }
    }

    /// Waits until all queued writes are in the store.
    func waitForWrites() async {
        await withCheckedContinuation { waiter in
            writer.runInBackground { _ in
                waiter.resume()
                return false
            }
        }
    }

    /// - Parameter address: the path below `/api/v1` with the query.
    func answer(
        _ address: String, as role: Role? = .coach, _ method: WebMethod = .get, body: String = ""
    ) async -> WebAnswer {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return WebParameter(name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        return await self.answer(
            path: Endpoint.root + parts[0], as: role, method, query: query, body: body)
    }

    /// - Parameter path: the whole path.
    func answer(
        path: String, as role: Role?, _ method: WebMethod = .get, query: [WebParameter] = [],
        body: String = ""
    ) async -> WebAnswer {
        await answer(
            to: WebRequest(
                method, path: path, query: query, body: Array(body.utf8),
                client: ClientAddress([192, 0, 2, 1]), cookies: role.flatMap { cookies[$0] }))
    }

    func answer(to request: WebRequest) async -> WebAnswer {
        let answer = router.answer(request)
        guard case .deferred(let begin) = answer else { return answer }
        return await withCheckedContinuation { waiter in
            begin { waiter.resume(returning: $0) }
        }
    }

    /// Returns the JSON object of a response.
    func object(_ address: String, as role: Role? = .coach) async throws -> [String: Any] {
        let answer = await answer(address, as: role)
        guard case .content("application/json", let bytes, _) = answer,
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else { throw TestSupportError("\(address): \(answer)") }
        return object
    }

    /// Returns the status with the code, and the message, of an error response; nil for other responses.
    func refusal(
        _ address: String, as role: Role? = .coach, _ method: WebMethod = .get, body: String = ""
    ) async -> (status: String, message: String)? {
        guard
            case .failure(let status, let code, let message, _) = await answer(
                address, as: role, method, body: body)
        else { return nil }
        return ("\(status) \(code)", message)
    }

    /// Returns all elements of a list, read in pages of `limit`.
    func list(_ address: String, _ name: String, limit: Int) async throws -> [[String: Any]] {
        var (all, cursor): ([[String: Any]], String?) = ([], nil)
        repeat {
            let page = try await object(
                address + "?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
            let elements = page[name] as? [[String: Any]] ?? []
            guard elements.count <= limit else { throw TestSupportError("\(address): too many") }
            all += elements
            cursor = page["next"] as? String
        } while cursor != nil
        return all
    }
}

extension InterfaceFixture {
    /// Receives the retained state of an idle erg, with an athlete or none.
    func receiveState(of erg: String, athlete: String?) {
        let name = athlete.map { #","athlete_id":"\#($0)""# } ?? ""
        room.handle(
            IncomingMessage(
                topic: "rowgate/v1/boathouse/erg/\(erg)/state",
                payload: Array(
                    #"{"v":1,"kind":"state","gw":"boathouse","erg":"\#(erg)","state":"idle"\#(name)}"#.utf8)))
    }
}

extension Traffic.Message {
    /// Returns a copy with another hour.
    fileprivate func at(hour: Int) -> Self {
        let text = String(decoding: payload, as: UTF8.self)
        guard let found = text.firstMatch(of: /"ts_ms":\d+/) else { return self }
        return replacing(
            String(found.0), "\"ts_ms\":\(1_788_627_000_000 + Int64(hour) * 3_600_000)")
    }
}

/// The machine's runtime with a clock that only tests advance, so that limits of time do not depend on the machine.
final class AdvancedClock: Runtime {
    private let machine = SystemRuntime()
    private let time: Mutex<BootInstant>

    init() { time = Mutex(machine.now()) }

    static var aYearLater: AdvancedClock {
        let clock = AdvancedClock()
        clock.advance(by: 366 * 86_400)
        return clock
    }

    func advance(by seconds: Int) { time.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }
    func now() -> BootInstant { time.withLock(\.self) }
    func wall() -> WallClock { machine.wall() }
    func makeQueue(label: String, isPrompt: Bool) -> SerialQueueExecutor {
        machine.makeQueue(label: label, isPrompt: isPrompt)
    }
    func random() -> UInt64 { machine.random() }
}
