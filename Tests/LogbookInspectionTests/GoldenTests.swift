import Bests
import Contract
import HostRuntime
import TestSupport
import Testing

@testable import CommandLineText
@testable import LogbookInspection
@testable import LogbookStores

/// What people and programs read is kept in files; `ROWGATE_UPDATE_GOLDEN=1 swift test` writes them
/// anew, for a person to look at in the diff.
@Suite struct GoldenTests {
    private var traffic = Traffic()
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(folder.path("logbook.db"), for: .keeping)
    }

    private func commit(_ messages: [Traffic.Message], _ change: (inout StoreBatch) -> Void) throws
    {
        var batch = StoreBatch(now: 1_788_627_100_000)
        batch.records = try messages.map { message in
            let (gateway, _) = try #require(TopicMap.read(message.topic))
            return try KeptRecord(message.payload, of: #require(message.stream), from: gateway)
        }
        change(&batch)
        _ = try store.commit(batch)
    }

    @Test mutating func complete() throws {
        // Goal: good news is short. Method: two sessions, one of them again, and one that goes on.
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        let next = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3, missesItsEnd: true)
        let third = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DG", strokes: 2)
        let gateway = traffic.gateway
        try commit(session + next + third.prefix(3) + session.map(\.replayed)) { batch in
            for session in ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"] {
                batch.states[SessionName(gateway: gateway, session: session)] = .verified
            }
        }
        try expect("complete")
    }

    @Test mutating func incomplete() throws {
        // Goal: every kind of fault is named with its numbers. Method: one of each.
        let first = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        let strokes = Traffic.stream(.stroke)
        let here = first.filter { $0.stream != strokes || ![5, 8, 9, 11].contains($0.sequence) }
        let second = traffic.session(
            "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3,
            alteredDigest: String(repeating: "0", count: 64))
        var altered = first[1].replayed
        altered.payload = Array(
            String(decoding: altered.payload, as: UTF8.self)
                .replacing(#""stroke":1,"#, with: #""stroke":2,"#).utf8)
        let dropped = [
            traffic.dropped(strokes, 8...8, reason: "overwritten"),
            traffic.dropped(Traffic.stream(.force), 16...18, reason: "not_durable"),
        ]
        let gateway = traffic.gateway
        let epoch = traffic.epoch
        func stream(_ kind: StreamKind) -> StoredStream {
            StoredStream(gateway: gateway, epoch: epoch, stream: Traffic.stream(kind))
        }
        try commit(here + second + dropped + [altered]) { batch in
            var note = StreamNote()
            note.gone = [9...9]
            batch.notes[stream(.stroke)] = note
            note = StreamNote()
            note.announced = 18
            batch.notes[stream(.force)] = note
            batch.states[SessionName(gateway: gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")] =
                .gone
            batch.states[SessionName(gateway: gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DF")] =
                .differs
        }
        try expect("incomplete")
    }

    @Test func nothing() throws {
        // Goal: an empty store is not taken for a complete one. Method: one that was just made.
        try expect("empty")
    }

    @Test func bests() throws {
        // Goal: what people and programs read of an athlete lines up, and says why a piece is not ranked.
        // Method: two seasons on two machines, efforts and pieces with faults; one season; nobody.
        let pieces = try Self.pieces()
        let (all, season) = (
            BestsTable(AthleteBests(pieces), of: "anna"),
            BestsTable(AthleteBests(pieces), of: "anna", in: Season(year: 2026))
        )
        let none = BestsTable(AthleteBests([]), of: "ben")
        let records = ClubRecords(["anna": AthleteBests(pieces), "ben": AthleteBests([])])
        let athletes = AthleteTable([
            KeptAthlete(
                slug: "anna", sessions: 94, firstAt: 1_764_000_000_000, lastAt: 1_788_627_000_000),
            KeptAthlete(slug: "ben-the-younger", sessions: 1, firstAt: 0, lastAt: 0),
        ])
        for (file, text) in [
            ("bests.txt", BestsTable.lines([all, season, none]).rendered(inColour: false)),
            ("bests.json", BestsTable.json([all], isOne: true) + "\n"),
            ("bests-all.json", BestsTable.json([none, none], isOne: false) + "\n"),
            ("records.txt", RecordsTable(records).lines.rendered(inColour: false)),
            ("records-none.txt", RecordsTable(ClubRecords([:])).lines.rendered(inColour: false)),
            ("records.json", RecordsTable(records).json + "\n"),
            ("athletes.txt", athletes.lines.rendered(inColour: false)),
            ("athletes.json", athletes.json + "\n"),
            ("athletes-none.txt", AthleteTable([]).lines.rendered(inColour: false)),
            ("bests-none.txt", BestsTable.lines([]).rendered(inColour: false)),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    @Test mutating func gateways() throws {
        // Goal: a person sees which gateway needs them, and nobody's words move the cursor. Method: one
        // that lacks numbers and said why it is not well, with an escape in it; one that is away, of
        // which no record came; no gateway at all.
        try expectGateways("gateways-none")
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        let strokes = Traffic.stream(.stroke)
        let here = session.filter { $0.stream != strokes || ![5, 8, 9].contains($0.sequence) }
        let dropped = [traffic.dropped(strokes, 8...8, reason: "overwritten")]
        let (mine, annex) = (traffic.gateway, try #require(GatewayID("annex")))
        let stream = StoredStream(gateway: mine, epoch: traffic.epoch, stream: strokes)
        let health =
            #"{"v":1,"status":"degraded","reasons":["#
            + #""erg-3: the link broke; move it closer","\u001b[2Jtwo\nlines"],"adapters_up":1}"#
        try commit(here + dropped) { batch in
            batch.notes[stream] = StreamNote()
            batch.notes[stream]?.gone = [9...9]
            for (gateway, kind, payload) in [
                (mine, GatewayWord.Kind.availability, #""online""#), (mine, .health, health),
                (mine, .birth, #"{"version":"0.1.0","epoch":"\#(stream.epoch)"}"#),
                (annex, .availability, #""offline""#),
            ] {
                batch.words.append(
                    GatewayWord(
                        gateway: gateway, kind: kind, heardAt: 1_788_627_000_000,
                        payload: Array(payload.utf8)))
            }
        }
        try expectGateways("gateways")
    }

    private func expectGateways(_ name: String) throws {
        let table = GatewayTable(try GatewayAccount.all(in: store))
        for (file, text) in [
            ("\(name).txt", table.lines.rendered(inColour: false)),
            ("\(name).json", table.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    private static func pieces() throws -> [PieceFigures] {
        let day: Int64 = 86_400_000
        return try [(2000, 4250, 0), (2000, 4180, 20), (5000, 11_400, 200), (500, 950, 220)]
            .enumerated().map { index, made in
                let (metres, tenths, days) = made
                let name = PieceName(
                    gateway: try #require(GatewayID("boathouse")),
                    session: "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(index)")
                var piece = RowedPiece(
                    name: name, startedAt: 1_788_627_000_000 - Int64(days) * day)
                let end = RowedPoint(
                    centiseconds: Int64(tenths) * 10, decimetres: Int64(metres) * 10)
                piece.total = end
                piece.runs = [[RowedPoint(centiseconds: 0, decimetres: 0), end]]
                (piece.isComplete, piece.isVerified) = (true, index != 1)
                (piece.agreesWithMonitor, piece.hasGap) = (true, index == 1)
                piece.preset = RankedEvent(metres: Double(metres), seconds: nil)
                piece.machine = index == 3 ? .ski : .rower
                return PieceFigures(piece)
            }
    }

    private func expect(_ name: String) throws {
        var check = try LogbookCheck(store, digest: SHA256Digest.hexadecimal(of:))
        check.place = "/var/lib/rowgate-logbook/logbook.db"
        check.size.bytes = 128 << 10
        let sessions = SessionTable(try store.sessions(SessionFilter(limit: 9)))
        for (file, text) in [
            ("\(name).txt", check.lines.rendered(inColour: false)),
            ("\(name).json", check.json + "\n"),
            ("\(name)-sessions.txt", sessions.lines.rendered(inColour: false)),
            ("\(name)-sessions.json", sessions.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }
}
