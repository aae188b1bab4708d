import Bests
import Contract
import MQTTClient
import People
import TestSupport
import Testing
import Timeline

@testable import CommandLineText
@testable import LogbookInspection
@testable import LogbookStores

/// Compares outputs with golden files. `ROWGATE_UPDATE_GOLDEN=1 swift test` rewrites them, so that a person
/// can review the diff.
@Suite struct GoldenTests {
    private var traffic = Traffic()
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(folder.path("logbook.db"), for: .recording)
    }

    private func commit(_ messages: [Traffic.Message], _ change: (inout StoreBatch) -> Void) throws {
        var batch = StoreBatch(now: 1_788_627_100_000)
        batch.records = try messages.map { message in
            let (gateway, _) = try #require(TopicPrefix.standard.parse(message.topic))
            return try ValidatedRecord(message.payload, of: #require(message.stream), from: gateway)
        }
        change(&batch)
        _ = try store.commit(batch)
    }

    @Test mutating func complete() throws {
        // Two complete sessions, one of them repeated, and one in progress.
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

    @Test mutating func showsForeignStrokes() throws {
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        let last = try #require(session.last { $0.stream == Traffic.stream(.stroke) })
        var foreign = last
        foreign.sequence = 99_999
        foreign.payload = Array(
            String(decoding: last.payload, as: UTF8.self)
                .replacingOccurrences(of: "\"seq\":\(last.sequence),", with: "\"seq\":99999,").utf8)
        try commit(session + [foreign]) { batch in
            let name = SessionName(gateway: traffic.gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
            batch.states[name] = .verified
        }
        let check = try LogbookCheck(store)
        let sessions = try store.sessions(SessionFilter(limit: 9))
        let table = SessionListing(sessions, calendar: .utc)
        #expect(table.lines.rendered(inColour: false).contains("12 + 1 foreign"))
        #expect(
            check.lines.rendered(inColour: false).contains(
                "01J7ZK3Q5XQ4W8G9T2V6B0C1DE on erg-1: 1 stroke"))
        #expect(check.json.contains(#""foreign_strokes":1"#))
        #expect(check.verified == 1)
    }

    @Test mutating func showsTimesOfTheClub() throws {
        // 2026-09-05T16:50:00Z is already the 6th in Kiritimati; JSON contains the instant.
        let kiritimati = try ClubCalendar.of("Pacific/Kiritimati")
        try commit(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 2)) { _ in }
        var sessions = try store.sessions(SessionFilter(limit: 9))
        // Without a start time a session counts from its first record.
        for index in sessions.indices { sessions[index].startedAt = nil }
        let (here, utc) = (
            SessionListing(sessions, calendar: kiritimati), SessionListing(sessions, calendar: .utc)
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
            [ClubAthlete(id: "anna", sessions: 1, times: 86_400_000...1_788_627_000_000)],
            calendar: kiritimati)
        #expect(rows(athletes.lines)[1].hasSuffix("1970-01-01  2026-09-06"))
    }

    @Test mutating func incomplete() throws {
        // One fault of each kind.
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
        // Removes the curves of a verified session and of a session that lost a stroke.
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
        let id = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
        var whole = traffic.session(id, strokes: 12, missesItsEnd: true)
        // A second split is missing.
        whole[whole.endIndex - 1].payload = Array(
            String(decoding: whole[whole.endIndex - 1].payload, as: UTF8.self)
                .replacing(#""split_count":0"#, with: #""split_count":2"#).utf8)
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
            let stored = try #require(try store.sessions(filter).first)
            let sheet = try SessionSheet(
                stored, in: store, calendar: .utc)
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
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 4)
        let gateway = traffic.gateway
        try commit(session.filter { $0.sequence != 2 } + session.prefix(1).map(\.replayed)) {
            batch in
            batch.states[
                SessionName(gateway: gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")] = .missing
            batch.statusMessages = [
                GatewayStatusMessage(
                    gateway: gateway, kind: .health, reportedAt: 1_788_627_100_000,
                    payload: Array("{}".utf8))
            ]
        }
        // The number of pages depends on SQLite.
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
        // A healthy logbook, one where everything is wrong, one without a store, and two that share a
        // store.
        var well = LogbookFacts(configurationPath: "/etc/rowgate/logbook.toml", isClockRight: true)
        well.broker = .init(
            address: "localhost:1883", filter: "rowgate/v1/#",
            outcome: .accepted(milliseconds: 4, BrokerLimits()))
        well.pages = .init(address: "0.0.0.0:8080", isServed: true, isOpen: true)
        var account = GatewaySummary(try #require(GatewayID("boathouse")))
        account.stored = 1_204_113
        let place = "/var/lib/rowgate-logbook/logbook.db"
        let size = StoreSize(records: 1_204_113, bytes: 700 << 20)
        well.store = .read(place: place, size, [account])
        well.disk = .init(path: place, freeBytes: 9 << 30, isReadOnly: false)
        well.disk?.bytesPerYear = 310 << 20
        well.erasureRequests = .success([])
        well.tokens = .held(
            path: "/var/lib/rowgate-logbook/tokens", count: 3, coaches: 1, mode: 0o600)

        var ill = well
        ill.problems = ["logbook.toml:2:1: broker.hots: unknown key; do you mean host?", "another"]
        ill.isClockRight = false
        var terms = BrokerLimits()
        (terms.supportsRetained, terms.maximumPacketBytes) = (false, 4096)
        ill.broker?.outcome = .accepted(milliseconds: 90, terms)
        ill.pages?.isServed = false
        (account.pending, account.gone, account.declared, account.conflicts) = (12, 1, 0, 2)
        account.refused = 3
        account.refusals = [
            RefusalCount(
                gateway: account.gateway, reason: "it has no elapsed_s", times: 3, lastAt: 1),
            RefusalCount(
                gateway: account.gateway, reason: "its epoch is not a ULID", times: 1, lastAt: 1),
        ]
        ill.store = .read(place: place, size, [account])
        ill.disk?.freeBytes = 90 << 20
        ill.tokens = .held(
            path: "/var/lib/rowgate-logbook/tokens", count: 0, coaches: 0, mode: 0o644)
        let annex = try #require(GatewayID("annex"))
        var refused = ErasureRequest("anna", at: account.gateway, madeAt: 1)
        refused.recordAnswer(.waiting(refusal: "commands: this gateway forgets nobody"), at: 2)
        ill.erasureRequests = .success([ErasureRequest("anna", at: annex, madeAt: 1), refused])

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
        var growing = well
        growing.disk?.bytesPerYear = 12 << 30
        let shared = try sharing(well)
        for (file, facts, status) in [
            ("doctor-well", well, 0), ("doctor-ill", ill, 2), ("doctor-bare", bare, 2),
            ("doctor-growing", growing, 1),
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
        // With a store, the first coach is invited; coaches who signed in need no token.
        for (coaches, expected) in [(0, "invite --role captain"), (2, "2 coaches signed in")] {
            bare.signedInCoaches = coaches
            let text = LogbookCheckup(bare).findings.styled.rendered(inColour: false)
            #expect(text.contains(expected), "\(text)")
        }
        for line in [ill, bare, shared].flatMap({ LogbookCheckup($0).findings }) {
            #expect((line.level == .ok) == (line.remedy == nil), "\(line)")
        }
    }

    /// Twelve gateways and two logbooks, one of which owns no shards yet.
    private func sharing(_ facts: LogbookFacts) throws -> LogbookFacts {
        var facts = facts
        let accounts = try (1...12).map {
            GatewaySummary(try #require(GatewayID("club-\($0)")))
        }
        facts.store = .read(
            place: "postgresql:///rowgate", StoreSize(records: 12, bytes: 1 << 20), accounts)
        facts.disk = nil
        facts.sharers = [
            StoreSharer(process: 4711, address: "10.0.0.2", shards: GatewayShards(Set(0..<12))),
            StoreSharer(process: 4712, address: nil, shards: .none),
        ]
        return facts
    }

    @Test func erasure() throws {
        var outcome = StoreErasure.Outcome()
        let none = ErasureReport(outcome, of: "anna", gateways: [], areRequested: true)
        (outcome.records, outcome.sessions, outcome.acknowledgements) = (1204, 3, 1)
        outcome.gateways = [try #require(GatewayID("annex")), try #require(GatewayID("boathouse"))]
        let report = ErasureReport(
            outcome, of: "anna", gateways: outcome.gateways, areRequested: true)
        let merged = ErasureReport(
            outcome, of: "anna", ["anna-2", "anni"], gateways: outcome.gateways, areRequested: true)
        let elsewhere = ErasureReport(
            outcome, of: "anna", gateways: outcome.gateways, areRequested: false)
        for (file, text) in [
            ("erasure.txt", report.lines.rendered(inColour: false)),
            ("erasure-elsewhere.txt", elsewhere.lines.rendered(inColour: false)),
            ("erasure-merged.txt", merged.lines.rendered(inColour: false)),
            ("erasure-merged.json", merged.json + "\n"),
            ("erasure-none.txt", none.lines.rendered(inColour: false)),
            ("erasure.json", report.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    @Test func merges() throws {
        let names = AthleteNames([try AthleteProfile(id: "anna", name: "Anna Meier")])
        var merge = AthleteMerge(
            athlete: "anna-2", kept: "anna", current: "anna", mergedAt: 1_788_627_000_000, by: "coach",
            undoUntil: 1_791_219_000_000)
        (merge.name, merge.sessions, merge.devices) = ("Anna Meyer", 42, 1)
        merge.changedFields = [.gender, .note]
        let old = AthleteMerge(
            athlete: "ben-2", kept: "ben-1", current: "ben", mergedAt: 1_780_000_000_000, by: nil,
            undoUntil: nil)
        func report(_ kind: MergeReport.Kind) -> MergeReport {
            MergeReport(merge, kind, names: names, calendar: .utc)
        }
        let listing = MergeListing([merge, old], names: names, calendar: .utc)
        for (file, text) in [
            ("merge.txt", report(.merged).lines.rendered(inColour: false)),
            ("merge-preview.txt", report(.preview).lines.rendered(inColour: false)),
            ("merge-undone.txt", report(.undone).lines.rendered(inColour: false)),
            ("merge.json", report(.merged).json + "\n"),
            ("merges.txt", listing.lines.rendered(inColour: false)), ("merges.json", listing.json + "\n"),
            (
                "merges-none.txt",
                MergeListing([], names: names, calendar: .utc).lines.rendered(inColour: false)
            ),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    @Test func erasureRequests() throws {
        // Gateways that erased with and without damage, one without an answer, one that refused; and no
        // requests.
        let places = try ["annex", "boathouse", "school", "shed"].map {
            try #require(GatewayID($0))
        }
        var erasureRequests = places.map { ErasureRequest("anna", at: $0, madeAt: 1_788_627_000_000) }
        erasureRequests[0].recordAnswer(.erased(records: 1, unreadable: 0), at: 1_788_627_001_000)
        erasureRequests[1].recordAnswer(.erased(records: 1204, unreadable: 2), at: 1_788_627_002_000)
        erasureRequests[3].recordAnswer(.waiting(refusal: "[commands] forget = false"), at: 1_788_627_003_000)
        let table = ErasureRequestTable(erasureRequests, calendar: .utc)
        #expect(!table.isDone && ErasureRequestTable(Array(erasureRequests.prefix(2)), calendar: .utc).isDone)
        for (file, text) in [
            ("errands.txt", table.lines.rendered(inColour: false)),
            ("errands-none.txt", ErasureRequestTable([], calendar: .utc).lines.rendered(inColour: false)),
            ("errands.json", table.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    @Test func emptyStore() throws {
        // A new store is not reported as complete.
        try expect("empty")
    }

    @Test func bests() throws {
        // Two seasons on two machines, with efforts and unranked pieces; one season only; an athlete
        // without results.
        let pieces = try Self.pieces()
        let (all, season) = (
            BestsTable(AthleteBests(pieces), of: "anna", calendar: .utc),
            BestsTable(AthleteBests(pieces), of: "anna", in: Season(year: 2026), calendar: .utc)
        )
        let none = BestsTable(AthleteBests([]), of: "ben", calendar: .utc)
        let records = ClubRecords(["anna": AthleteBests(pieces), "ben": AthleteBests([])])
        let athletes = AthleteTable(
            [
                ClubAthlete(
                    id: "anna", sessions: 94, times: 1_764_000_000_000...1_788_627_000_000,
                    profile: try AthleteProfile(id: "anna", name: "Anna Müller")),
                ClubAthlete(id: "ben-the-younger", sessions: 1, times: 0...0),
                ClubAthlete(id: "cleo", profile: try AthleteProfile(id: "cleo", name: "Cleo")),
            ], calendar: .utc)
        let groups = GroupTable([
            try AthleteGroup(id: "juniors", name: "Juniors", members: ["anna", "cleo"]),
            try AthleteGroup(id: "u23", name: "U23 Größe", members: []),
        ])
        for (file, text) in [
            ("bests.txt", BestsTable.lines([all, season, none]).rendered(inColour: false)),
            ("bests.json", BestsTable.json([all], isOne: true) + "\n"),
            ("bests-all.json", BestsTable.json([none, none], isOne: false) + "\n"),
            ("records.txt", RecordsTable(records, calendar: .utc).lines.rendered(inColour: false)),
            (
                "records-none.txt",
                RecordsTable(ClubRecords([:]), calendar: .utc).lines.rendered(inColour: false)
            ),
            ("records.json", RecordsTable(records, calendar: .utc).json + "\n"),
            ("athletes.txt", athletes.lines.rendered(inColour: false)),
            ("athletes.json", athletes.json + "\n"),
            ("groups.txt", groups.lines.rendered(inColour: false)), ("groups.json", groups.json + "\n"),
            ("athletes-none.txt", AthleteTable([], calendar: .utc).lines.rendered(inColour: false)),
            ("bests-none.txt", BestsTable.lines([]).rendered(inColour: false)),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    @Test mutating func gateways() throws {
        // A gateway with missing numbers and an escape sequence in its health reasons; an offline one
        // without records; no gateways. The earlier end of two certificates is shown.
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
                (mine, GatewayStatusMessage.Kind.availability, #""online""#), (mine, .health, health),
                (mine, .birth, #"{"version":"0.1.0","epoch":"\#(stream.epoch)"}"#),
                (annex, .availability, #""offline""#),
            ] {
                batch.statusMessages.append(
                    GatewayStatusMessage(
                        gateway: gateway, kind: kind, reportedAt: 1_788_627_000_000,
                        payload: Array(payload.utf8)))
            }
        }
        try expectGateways("gateways")
        // The same for two logbooks, of which one owns the shard of one gateway.
        let part = (0..<GatewayShards.count).filter { GatewayShards([$0]).contains(annex) }
        try expectGateways(
            "gateways-shared",
            [
                StoreSharer(process: 4711, address: "10.0.0.2", shards: GatewayShards(Set(part))),
                StoreSharer(process: 4712, address: nil, shards: .none),
            ])
    }

    private func expectGateways(_ name: String, _ sharers: [StoreSharer] = []) throws {
        let table = GatewayTable(try GatewaySummary.all(in: store), sharers: sharers, calendar: .utc)
        for (file, text) in [
            ("\(name).txt", table.lines.rendered(inColour: false)),
            ("\(name).json", table.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }

    private static func pieces() throws -> [PieceMetrics] {
        let day: Int64 = 86_400_000
        return try [(2000, 4250, 0), (2000, 4180, 20), (5000, 11_400, 200), (500, 950, 220)]
            .enumerated().map { index, made in
                let (metres, tenths, days) = made
                let name = PieceName(
                    gateway: try #require(GatewayID("boathouse")),
                    session: "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(index)")
                var piece = RecordedPiece(
                    name: name, startedAt: 1_788_627_000_000 - Int64(days) * day)
                let end = WorkPoint(
                    centiseconds: Int64(tenths) * 10, decimetres: Int64(metres) * 10)
                piece.total = end
                piece.runs = [[WorkPoint(centiseconds: 0, decimetres: 0), end]]
                (piece.isComplete, piece.isVerified) = (true, index != 1)
                (piece.agreesWithMonitor, piece.hasGap) = (true, index == 1)
                piece.preset = RankedEvent(metres: Double(metres), seconds: nil)
                piece.machine = index == 3 ? .ski : .rower
                return PieceMetrics(piece, in: .utc)
            }
    }

    private func expect(_ name: String) throws {
        var check = try LogbookCheck(store)
        check.place = "/var/lib/rowgate-logbook/logbook.db"
        check.size.bytes = 128 << 10
        check.bytesPerYear = 3 << 20
        let sessions = SessionListing(
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
