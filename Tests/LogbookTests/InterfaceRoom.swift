import DeliveryProof
import Foundation
import HostRuntime
import LogbookStores
import TestSupport
import Timeline

@testable import Contract
@testable import Logbook
@testable import WebServer

/// A logbook's site with a store that a test fills, asked as the web server asks it.
final class InterfaceRoom {
    let folder: TemporaryFolder
    let store: SQLStore
    let room: LiveRoom
    let reader: StoreQueue
    let writer: StoreQueue
    let commands: CommandRoom
    let seats: SuggestionSeats
    private let site: LogbookSite
    private var cookies: [Role: String] = [:]

    /// Whose the token with the role `athlete` is.
    static let athlete = "zoe"

    /// - Parameters:
    ///   - server: a database that is empty; nil for a store in a file.
    ///   - calendar: of the club.
    init(server: String? = nil, calendar: ClubCalendar = .utc) throws {
        folder = try TemporaryFolder()
        let address: StoreAddress =
            if let server { .postgres(try PostgreSQLAddress(server)) } else {
                .sqlite(path: folder.path("logbook.db"))
            }
        store = try address.open(for: .keeping)
        let (runtime, log) = (SystemRuntime(), SystemLog(subsystem: "test", threshold: .critical))
        room = LiveRoom(runtime: runtime, log: log)
        reader = StoreQueue(runtime: runtime, log: log) { () throws(StoreFailure) in
            try address.open(for: .looking)
        }
        writer = StoreQueue(runtime: runtime, log: log) { () throws(StoreFailure) in
            try address.open(for: .changing)
        }
        commands = CommandRoom(room: room, runtime: runtime, log: log)
        let book = AthleteBook(in: calendar)
        seats = SuggestionSeats(
            room: room, commands: commands, reader: reader, writer: writer,
            desk: SuggestionDesk(book: book))
        commands.report(seats.settled)
        let file = TokenFile(path: folder.path("tokens"))
        site = LogbookSite(
            pages: Pages(timeZone: calendar.name), room: room,
            commands: commands,
            races: RaceDesk(
                room: room, commands: commands, path: nil, runtime: runtime, log: log),
            access: Access(file, wall: .nobody, runtime: runtime, log: log),
            records: RecordAnswers(
                reader: reader, writer: writer, room: room, book: book, seats: seats))
        let holders = Role.allCases.map { role in
            let token = Token(by: runtime)
            cookies[role] = "rowgate=\(token.text)"
            return TokenHolder(
                name: role.rawValue, role: role,
                athlete: role == .athlete ? Self.athlete : nil, digest: token.digest,
                madeMilliseconds: 0)
        }
        try file.replace(with: holders)
    }

    func keep(_ messages: [Traffic.Message]) throws {
        var batch = StoreBatch(now: 1_788_627_100_000)
        batch.records = try messages.map { message in
            guard let (gateway, _) = TopicMap.read(message.topic), let stream = message.stream
            else { throw TestSupportError("no record: \(message.topic)") }
            return try KeptRecord(message.payload, of: stream, from: gateway)
        }
        _ = try store.commit(batch)
    }

    /// Somebody rowed five times, and then not for three weeks: there is something to suggest.
    func keepBreak(of athlete: String) throws {
        var traffic = Traffic()
        let hours = (Int64(Date().timeIntervalSince1970 * 1000) - 1_788_627_000_000) / 3_600_000
        for number in 0..<5 {
            let hour = Int(hours) - 24 * (21 + number)
            let piece = traffic.piece(
                "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)", hour: hour, 200, by: athlete)
            try keep(piece.map { $0.at(hour: hour) })
        }
    }

    /// Returns when all that was said until now is in the store.
    func written() async {
        await withCheckedContinuation { waiter in
            writer.readAhead { _ in
                waiter.resume()
                return false
            }
        }
    }

    /// - Parameter address: below `/api/v1`, with its query.
    func answer(
        _ address: String, as role: Role? = .coach, _ method: WebMethod = .get, body: String = ""
    ) async -> WebAnswer {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            let words = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return WebParameter(name: words[0], value: words.count > 1 ? words[1] : "")
        }
        let answer = site.answer(
            WebRequest(
                method, path: Endpoint.root + parts[0], query: query, body: Array(body.utf8),
                client: ClientAddress([192, 0, 2, 1]), cookies: role.flatMap { cookies[$0] }))
        guard case .later(let begin) = answer else { return answer }
        return await withCheckedContinuation { waiter in
            begin { waiter.resume(returning: $0) }
        }
    }

    /// What is answered as JSON.
    func object(_ address: String, as role: Role? = .coach) async throws -> [String: Any] {
        let answer = await answer(address, as: role)
        guard case .content("application/json", let bytes, _) = answer,
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else { throw TestSupportError("\(address): \(answer)") }
        return object
    }

    /// Status and code of a refusal, and its words; nil for anything else.
    func refusal(
        _ address: String, as role: Role? = .coach, _ method: WebMethod = .get, body: String = ""
    ) async -> (told: String, words: String)? {
        guard
            case .failure(let status, let code, let words, _) = await answer(
                address, as: role, method, body: body)
        else { return nil }
        return ("\(status) \(code)", words)
    }

    /// All elements of a list, in pages of so many.
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

extension Traffic.Message {
    /// The same, of another hour.
    fileprivate func at(hour: Int) -> Self {
        let text = String(decoding: payload, as: UTF8.self)
        guard let found = text.firstMatch(of: /"ts_ms":\d+/) else { return self }
        return replacing(
            String(found.0), "\"ts_ms\":\(1_788_627_000_000 + Int64(hour) * 3_600_000)")
    }
}
