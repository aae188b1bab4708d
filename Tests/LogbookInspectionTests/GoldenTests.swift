import Bests
import Contract
import HostRuntime
import MQTTClient
import TestSupport
import Testing
import Timeline

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

    @Test mutating func timesAreThoseOfTheClub() throws {
        // 2026-09-05T16:50:00Z is the 6th in Kiritimati; programs get the instant.
        let kiritimati = try ClubCalendar.of("Pacific/Kiritimati")
        try commit(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 2)) { _ in }
        var sessions = try store.sessions(SessionFilter(limit: 9))
        // Without the time of its gateway a session counts from its first record.
        for index in sessions.indices { sessions[index].startedAt = nil }
        let (here, utc) = (
            SessionTable(sessions, calendar: kiritimati), SessionTable(sessions, calendar: .utc)
        )
        func rows(_ lines: [StyledLine]) -> [Substring] {
            lines.rendered(inColour: false).split(separator: "\n")
        }
        let lines = rows(here.lines)
        #expect(lines[0].hasPrefix("STARTED (Pacific/Kiritimati)  GATEWAY"), "\(lines)")
        #expect(lines[1].hasPrefix("2026-09-06 06:5"), "\(lines)")
        #expect(rows(utc.lines)[1].hasPrefix("2026-09-05 16:5"))
        #expect(here.json == utc.json)
        let athletes = AthleteTable(
            [KeptAthlete(slug: "anna", sessions: 1, firstAt: 86_400_000, lastAt: 1_788_627_000_000)],
            calendar: kiritimati)
        #expect(rows(athletes.lines)[1].hasSuffix("1970-01-01  2026-09-06"))
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

    @Test mutating func thinned() throws {
        // Goal: what was removed on purpose is no loss, and is said. Method: curves of a session that was
        // verified and of one that lacks a stroke for good, after their time.
        let whole = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        let lame = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3)
        let gateway = traffic.gateway
        try commit(whole + lame.filter { $0.stream?.kind != .stroke || $0.sequence != 14 }) {
            batch in
            for (session, state) in [("DE", SessionState.verified), ("DF", .gone)] {
                let id = "01J7ZK3Q5XQ4W8G9T2V6B0C1" + session
                batch.states[SessionName(gateway: gateway, session: id)] = state
            }
        }
        var pass = RetentionPass(.force, before: 1_788_627_200_000)
        while !pass.isDone { try store.remove(&pass) }
        try expect("thinned")
    }

    @Test mutating func session() throws {
        // Goal: one session reads well, with every part and with none. Method: splits, a summary and a gap
        // as a gateway publishes them; one without a manifest.
        let id = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
        let whole = traffic.session(id, strokes: 12, missesItsEnd: true)
        let open = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3).prefix(4)
        func record(_ kind: StreamKind, _ sequence: UInt64, _ fields: String) -> Traffic.Message {
            let head =
                #"{"v":1,"kind":"\#(kind.topicName)","gw":"boathouse","erg":"erg-1","#
                + #""epoch":"\#(traffic.epoch)","seq":\#(sequence),"ts_ms":1788627000000,"#
                + #""time":"2026-09-05T16:50:00.000Z","clock":"synced","#
            return Traffic.Message(
                topic: "rowgate/v1/boathouse/erg/erg-1/\(kind.topicName)",
                payload: Array(
                    (head + #""session_id":"\#(id)","# + fields + #","historical":false}"#).utf8),
                stream: Traffic.stream(kind), sequence: sequence)
        }
        try commit(
            whole + open + [
                record(
                    .split, 1,
                    #""athlete_id":"anna","split":1,"type":"distance","distance_m":500.0,"#
                        + #""duration_s":105.20,"avg_power_w":301,"avg_pace_s_per_500m":105.20,"#
                        + #""avg_stroke_rate_spm":28,"avg_heart_rate_bpm":171,"rest_s":60"#),
                record(
                    .summary, 1,
                    #""athlete_id":"anna","revision":1,"result_time_s":105.20,"distance_m":500.0,"#
                        + #""avg_pace_s_per_500m":105.20,"avg_power_w":301,"calories_kcal":31,"#
                        + #""session_type":"just_row","workout":"just_row_without_splits","#
                        + #""started_ms":1788627000000,"ended_ms":1788627105200,"strokes":12,"#
                        + #""splits":1,"complete":true"#),
            ]
        ) { $0.states = [:] }
        let gateway = traffic.gateway
        for (file, session) in [("session", id), ("session-open", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF")] {
            var filter = SessionFilter(limit: 1)
            (filter.gateway, filter.session) = (gateway, session)
            let kept = try #require(try store.sessions(filter).first)
            let sheet = try SessionSheet(
                kept, in: store, digest: SHA256Digest.hexadecimal(of:), calendar: .utc)
            for (name, text) in [
                ("\(file).txt", sheet.lines.rendered(inColour: false)),
                ("\(file).json", sheet.json + "\n"),
            ] {
                let golden = try goldenText(name, for: text)
                #expect(text == golden, "\(name): \(text)")
            }
        }
    }

    @Test mutating func metrics() throws {
        // Goal: figures for Prometheus. Method: a gateway that lacks a stroke, and repeats one; no store.
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 4)
        let gateway = traffic.gateway
        try commit(session.filter { $0.sequence != 2 } + session.prefix(1).map(\.replayed)) {
            batch in
            batch.states[
                SessionName(gateway: gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")] = .missing
            batch.words = [
                GatewayWord(
                    gateway: gateway, kind: .health, heardAt: 1_788_627_100_000,
                    payload: Array("{}".utf8))
            ]
        }
        // How many pages a file takes is SQLite's affair.
        let lines = try LogbookMetrics(store).text.split(separator: "\n").map { line in
            line.hasPrefix("rowgate_logbook_store_bytes ")
                ? "rowgate_logbook_store_bytes 1" : String(line)
        }
        let text = lines.map { $0 + "\n" }.joined()
        var running = RunningLogbook(refusals: [.init(reason: "disk_full", count: 13_928)])
        (running.failure, running.waiting) = ("disk_full", 41)
        for (file, text) in [
            ("metrics.txt", text), ("metrics-none.txt", LogbookMetrics().text),
            ("metrics-running.txt", LogbookMetrics(running).text),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    @Test func doctor() throws {
        // Goal: every line says what it found and what mends it. Method: a logbook where all is well, one
        // where everything is wrong, one that keeps nothing, and two that share a store.
        var well = LogbookFacts(configurationPath: "/etc/rowgate/logbook.toml", isClockRight: true)
        well.broker = .init(
            address: "localhost:1883", filter: "rowgate/v1/#",
            outcome: .accepted(milliseconds: 4, BrokerTerms()))
        well.pages = .init(address: "0.0.0.0:8080", isServed: true, isOpen: true)
        var account = GatewayAccount(try #require(GatewayID("boathouse")))
        account.stored = 1_204_113
        let place = "/var/lib/rowgate-logbook/logbook.db"
        let size = StoreSize(records: 1_204_113, bytes: 700 << 20)
        well.store = .read(place: place, size, [account])
        well.disk = .init(path: place, freeBytes: 9 << 30, isReadOnly: false)
        well.errands = .success([])
        well.tokens = .held(
            path: "/var/lib/rowgate-logbook/tokens", count: 3, coaches: 1, mode: 0o600)

        var ill = well
        ill.problems = ["logbook.toml:2:1: broker.hots: unknown key; do you mean host?", "another"]
        ill.isClockRight = false
        var terms = BrokerTerms()
        (terms.keepsRetained, terms.maximumPacketBytes) = (false, 4096)
        ill.broker?.outcome = .accepted(milliseconds: 90, terms)
        ill.pages?.isServed = false
        (account.owed, account.gone, account.declared, account.conflicts) = (12, 1, 0, 2)
        account.refused = 3
        account.refusals = [
            RefusalCount(
                gateway: account.gateway, reason: "it has no elapsed_s", times: 3, lastAt: 1),
            RefusalCount(
                gateway: account.gateway, reason: "its epoch is no ULID", times: 1, lastAt: 1),
        ]
        ill.store = .read(place: place, size, [account])
        ill.disk?.freeBytes = 90 << 20
        ill.tokens = .held(
            path: "/var/lib/rowgate-logbook/tokens", count: 0, coaches: 0, mode: 0o644)
        let annex = try #require(GatewayID("annex"))
        var refused = Errand("anna", at: account.gateway, madeAt: 1)
        refused.settle(.waiting(words: "commands: this gateway forgets nobody"), at: 2)
        ill.errands = .success([Errand("anna", at: annex, madeAt: 1), refused])

        var running = RunningLogbook(refusals: [
            .init(reason: "disk_full", count: 13_928), .init(reason: "no_record", count: 1),
        ])
        (running.failure, running.waiting) = ("disk_full", 41)
        (running.replacement, running.replacedAt) = ("new", 1_788_627_100_000)
        ill.running = running
        well.running = RunningLogbook(refusals: [])

        var bare = LogbookFacts(configurationPath: "/etc/rowgate/logbook.toml", isClockRight: true)
        bare.broker = .init(
            address: "broker:1883", filter: "rowgate/v1/#",
            outcome: .publishDenied(
                milliseconds: 3,
                .refusal("subscribe to rowgate/v1/#", broker: "broker:1883", reason: 0x87)))
        bare.tokens = .held(path: "/tokens", count: 1, coaches: 0, mode: nil)
        let shared = try sharing(well)
        for (file, facts, status) in [
            ("doctor-well", well, 0), ("doctor-ill", ill, 2), ("doctor-bare", bare, 2),
            ("doctor-shared", shared, 1),
        ] as [(String, LogbookFacts, Int32)] {
            let checkup = LogbookCheckup(facts)
            #expect(checkup.verdict.exitStatus == status)
            for (name, text) in [
                ("\(file).txt", checkup.findings.styled.rendered(inColour: false)),
                ("\(file).json", checkup.json + "\n"),
            ] {
                let golden = try goldenText(name, for: text)
                #expect(text == golden, "\(name): \(text)")
            }
        }
        for line in [ill, bare, shared].flatMap({ LogbookCheckup($0).findings }) {
            #expect((line.level == .ok) == (line.remedy == nil), "\(line)")
        }
    }

    /// Twelve gateways and two logbooks, one of which has not got its part yet.
    private func sharing(_ facts: LogbookFacts) throws -> LogbookFacts {
        var facts = facts
        let accounts = try (1...12).map {
            GatewayAccount(try #require(GatewayID("club-\($0)")))
        }
        facts.store = .read(
            place: "postgresql:///rowgate", StoreSize(records: 12, bytes: 1 << 20), accounts)
        facts.disk = nil
        facts.sharers = [
            StoreSharer(process: 4711, address: "10.0.0.2", parts: GatewayParts(Set(0..<12))),
            StoreSharer(process: 4712, address: nil, parts: .none),
        ]
        return facts
    }

    @Test func erasure() throws {
        // Goal: who erases somebody is told what is left to do. Method: with and without gateways.
        var outcome = StoreErasure.Outcome()
        let none = ErasureReport(outcome, of: "anna", gateways: [], areAsked: true)
        (outcome.records, outcome.sessions, outcome.acknowledgements) = (1204, 3, 1)
        outcome.gateways = [try #require(GatewayID("annex")), try #require(GatewayID("boathouse"))]
        let report = ErasureReport(
            outcome, of: "anna", gateways: outcome.gateways, areAsked: true)
        let elsewhere = ErasureReport(
            outcome, of: "anna", gateways: outcome.gateways, areAsked: false)
        for (file, text) in [
            ("erasure.txt", report.lines.rendered(inColour: false)),
            ("erasure-elsewhere.txt", elsewhere.lines.rendered(inColour: false)),
            ("erasure-none.txt", none.lines.rendered(inColour: false)),
            ("erasure.json", report.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    @Test func erasuresAtGateways() throws {
        // Goal: it is plain which gateways have forgotten somebody, and nobody is named once all have.
        // Method: one that has, with and without damage, one that waits, one that refuses; and none.
        let places = try ["annex", "boathouse", "school", "shed"].map {
            try #require(GatewayID($0))
        }
        var errands = places.map { Errand("anna", at: $0, madeAt: 1_788_627_000_000) }
        errands[0].settle(.erased(records: 1, unreadable: 0), at: 1_788_627_001_000)
        errands[1].settle(.erased(records: 1204, unreadable: 2), at: 1_788_627_002_000)
        errands[3].settle(.waiting(words: "[commands] forget = false"), at: 1_788_627_003_000)
        let table = ErrandTable(errands, calendar: .utc)
        #expect(!table.isDone && ErrandTable(Array(errands.prefix(2)), calendar: .utc).isDone)
        for (file, text) in [
            ("errands.txt", table.lines.rendered(inColour: false)),
            ("errands-none.txt", ErrandTable([], calendar: .utc).lines.rendered(inColour: false)),
            ("errands.json", table.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
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
            BestsTable(AthleteBests(pieces), of: "anna", calendar: .utc),
            BestsTable(AthleteBests(pieces), of: "anna", in: Season(year: 2026), calendar: .utc)
        )
        let none = BestsTable(AthleteBests([]), of: "ben", calendar: .utc)
        let records = ClubRecords(["anna": AthleteBests(pieces), "ben": AthleteBests([])])
        let athletes = AthleteTable([
            KeptAthlete(
                slug: "anna", sessions: 94, firstAt: 1_764_000_000_000, lastAt: 1_788_627_000_000),
            KeptAthlete(slug: "ben-the-younger", sessions: 1, firstAt: 0, lastAt: 0),
        ], calendar: .utc)
        for (file, text) in [
            ("bests.txt", BestsTable.lines([all, season, none]).rendered(inColour: false)),
            ("bests.json", BestsTable.json([all], isOne: true) + "\n"),
            ("bests-all.json", BestsTable.json([none, none], isOne: false) + "\n"),
            ("records.txt", RecordsTable(records, calendar: .utc).lines.rendered(inColour: false)),
            ("records-none.txt", RecordsTable(ClubRecords([:]), calendar: .utc).lines.rendered(inColour: false)),
            ("records.json", RecordsTable(records, calendar: .utc).json + "\n"),
            ("athletes.txt", athletes.lines.rendered(inColour: false)),
            ("athletes.json", athletes.json + "\n"),
            ("athletes-none.txt", AthleteTable([], calendar: .utc).lines.rendered(inColour: false)),
            ("bests-none.txt", BestsTable.lines([]).rendered(inColour: false)),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    @Test mutating func gateways() throws {
        // Goal: a person sees which gateway needs them, and nobody's words move the cursor. Method: one
        // that lacks numbers and said why it is not well, with an escape in it; one that is away, of
        // which no record came; no gateway at all. Of two certificates the first end is told.
        try expectGateways("gateways-none")
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        let strokes = Traffic.stream(.stroke)
        let here = session.filter { $0.stream != strokes || ![5, 8, 9].contains($0.sequence) }
        let dropped = [traffic.dropped(strokes, 8...8, reason: "overwritten")]
        let (mine, annex) = (traffic.gateway, try #require(GatewayID("annex")))
        let stream = StoredStream(gateway: mine, epoch: traffic.epoch, stream: strokes)
        let health =
            #"{"v":1,"status":"degraded","reasons":["#
            + #""erg-3: the link broke; move it closer","\u001b[2Jtwo\nlines"],"adapters_up":1,"#
            + #""broker_certificate_end_ms":1800000000000,"own_certificate_end_ms":1790000000000}"#
        try commit(here + dropped) { batch in
            batch.notes[stream] = StreamNote()
            batch.notes[stream]?.gone = [9...9]
            batch.notes[stream]?.refused.insert(5)
            batch.refusals = [
                RefusalCount(
                    gateway: mine, reason: "it has no elapsed_s", times: 2,
                    lastAt: 1_788_627_000_000)
            ]
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
        // Then as kept by two logbooks, of which one has the part of one gateway.
        let part = (0..<GatewayParts.count).filter { GatewayParts([$0]).contains(annex) }
        try expectGateways(
            "gateways-shared",
            [
                StoreSharer(process: 4711, address: "10.0.0.2", parts: GatewayParts(Set(part))),
                StoreSharer(process: 4712, address: nil, parts: .none),
            ])
    }

    private func expectGateways(_ name: String, _ sharers: [StoreSharer] = []) throws {
        let table = GatewayTable(try GatewayAccount.all(in: store), sharers: sharers, calendar: .utc)
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
                return PieceFigures(piece, in: .utc)
            }
    }

    private func expect(_ name: String) throws {
        var check = try LogbookCheck(store, digest: SHA256Digest.hexadecimal(of:))
        check.place = "/var/lib/rowgate-logbook/logbook.db"
        check.size.bytes = 128 << 10
        let sessions = SessionTable(
            try store.sessions(SessionFilter(limit: 9)), calendar: .utc)
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
