import Bytes
import DeliveryProof
import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Removing data from a store on purpose, on each kind of store.
@Suite struct StoreRemovalTests {
    private static let first = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private static let second = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
    private static let third = "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"
    /// When sessions are rowed and stored, and a day later.
    private static let now: Int64 = 1_788_627_100_000
    private static let later = now + 86_400_000
    private static let athlete = "anna-katharina-27"
    private var traffic = Traffic()

    private func name(_ session: String) -> SessionName {
        SessionName(gateway: traffic.gateway, session: session)
    }

    private func stream(_ kind: StreamKind) -> StoredStream {
        StoredStream(
            gateway: traffic.gateway, epoch: traffic.epoch, stream: Traffic.stream(kind))
    }

    private func removed(_ kind: StreamKind, in store: any LogbookStore) throws -> SequenceSet {
        try #require(try store.streams().first { $0.stream == stream(kind) }).removed
    }

    /// Runs a complete retention pass.
    private func remove(
        _ kind: StreamKind, before time: Int64, in store: any LogbookStore
    ) throws -> Int {
        var pass = RetentionPass(kind, before: time)
        while !pass.isDone { try store.remove(&pass) }
        return pass.removed
    }

    // MARK: Retention

    @Test(arguments: StoreUnderTest.allCases)
    mutating func removesOldCurvesAndRemembersTheirNumbers(_ kind: StoreUnderTest) async throws {
        // A verified session and one with missing records; a pass that is too early, and one a day later;
        // then everything again as a replay.
        let place = try await kind.place()
        let session = traffic.session(Self.first, strokes: 450)
        let open = traffic.session(Self.second, strokes: 3)
        let store = try place.open(.recording)
        var batch = try StoreBatch(session + open, now: Self.now)
        batch.states = [name(Self.first): .verified, name(Self.second): .missing]
        _ = try store.commit(batch)
        #expect(try remove(.force, before: Self.now, in: store) == 0)
        #expect(try remove(.force, before: Self.later, in: store) == 450)
        #expect(try remove(.force, before: Self.later, in: store) == 0)
        #expect(try removed(.force, in: store).ranges == [1...450])
        #expect(try removed(.stroke, in: store).ranges == [])

        let repeated = try store.commit(StoreBatch(session.map(\.replayed), now: Self.later))
        #expect((repeated.added, repeated.repeats, repeated.conflicts) == (0, session.count, 0))
        store.close()
        let reopened = try place.open(.recording)
        #expect(try reopened.size().records == session.count + open.count - 450)
        #expect(try reopened.records(of: .force, in: name(Self.first)).isEmpty)
        #expect(try reopened.records(of: .force, in: name(Self.second)).count == 3)
        #expect(try reopened.records(of: .stroke, in: name(Self.first)).count == 450)
        let sessions = try reopened.sessions(SessionFilter(limit: 9))
        #expect(sessions.map(\.isThinned) == [false, true])
        #expect(sessions.map(\.state) == [.missing, .verified])
        // The rest cannot be compared with the manifest.
        #expect(try reopened.evidence(of: name(Self.first)) == nil)
        #expect(try reopened.evidence(of: name(Self.second)) != nil)
        #expect(try reopened.faults() == [])
        #expect(try StreamSummary.all(in: reopened).allSatisfy { $0.lost == 0 })
        reopened.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func retainsLateRecordsAsLongAsOthers(_ kind: StoreUnderTest) async throws {
        // A record of 1970 and a current one, both stored now.
        let store = try await kind.place().open(.recording)
        let fields =
            #""session_id":"\#(Self.first)","stroke":1,"points":2,"complete":true,"force_n":[1,2]"#
        let records = try [
            traffic.record(.force, 1, fields, at: 1000), traffic.record(.force, 2, fields),
        ]
        _ = try store.commit(StoreBatch(records: records, now: Self.now))
        _ = try store.commit(
            {
                var batch = StoreBatch(now: Self.now)
                batch.states = [name(Self.first): .gone]
                return batch
            }())
        #expect(try remove(.force, before: Self.now, in: store) == 0)
        #expect(try remove(.force, before: Self.now + 1, in: store) == 2)
        store.close()
    }

    @Test mutating func releasesSpaceToTheDisk() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder.path("logbook.db"), for: .recording)
        var batch = try StoreBatch(traffic.session(Self.first, strokes: 2000), now: Self.now)
        batch.states = [name(Self.first): .verified]
        _ = try store.commit(batch)
        let before = try store.size().bytes
        #expect(try remove(.force, before: Self.later, in: store) == 2000)
        let between = try store.size().bytes
        #expect(between < before)
        #expect(try store.database.number("PRAGMA freelist_count") == 0)
        try store.compact()
        #expect(try store.size().bytes < between * 3 / 4)
        #expect(try store.faults() == [])
        store.close()
    }

    // MARK: Erasure

    private func alert(_ number: UInt64, _ fields: String) throws -> ValidatedRecord {
        try traffic.record(
            .alert, number,
            #""alert_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1A\#(number)","state":"firing","#
                + #""rule":"stopped""# + fields)
    }

    /// A session of the athlete with an alert, and one of another athlete with an acknowledged alert.
    private mutating func world() throws -> (theirs: [ValidatedRecord], others: [ValidatedRecord]) {
        let theirs = traffic.session(Self.first, strokes: 300).named(Self.athlete)
        let own = try theirs.map(ValidatedRecord.init) + [alert(1, #","athlete_id":"\#(Self.athlete)""#)]
        let others = try traffic.session(Self.second, strokes: 20).named("ben")
            .map(ValidatedRecord.init)
        return (own, others + [try alert(2, #","acknowledged_ms":5,"acknowledged_by":"anna_x""#)])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func erasesAnAthletePermanently(_ kind: StoreUnderTest) async throws {
        // Erases in parallel to a recording store. Afterwards, sends all records again, records that had
        // been missing, a session in progress, and a stroke of the next day.
        let place = try await kind.place()
        let recorder = try place.open(.recording)
        let (theirs, others) = try world()
        let seen = try alert(3, #","acknowledged_ms":5,"acknowledged_by":"\#(Self.athlete)""#)
        let missed = theirs.filter { $0.stream.stream.kind == .stroke }.suffix(5)
        let here = theirs.filter { record in
            !missed.contains { $0.stream == record.stream && $0.sequence == record.sequence }
        }
        var batch = StoreBatch(records: here + others + [seen], now: Self.now)
        batch.statusMessages = [
            GatewayStatusMessage(
                gateway: traffic.gateway, kind: .health, reportedAt: 1,
                payload: Array(#"{"reasons":["\#(Self.athlete)"]}"#.utf8))
        ]
        batch.notices = bestNotices(of: [Self.athlete: Self.first, "ben": Self.second])
        _ = try recorder.commit(batch)
        let altered = [traffic.session(Self.third, strokes: 1)[1]].named(Self.athlete)
        _ = try recorder.commit(StoreBatch(altered, now: Self.now))
        for slug in [Self.athlete, "ben"] {
            try recorder.save(StoredHeartLimits(athlete: slug, resting: 48, maximal: 192, givenAt: 1))
            try recorder.save([StoredProfile(athlete: slug, changedAt: 1, body: [])], [])
            try recorder.users.save(
                StoredUser(
                    id: slug, name: slug, role: "athlete", athlete: slug, createdAt: 1,
                    invitation: .init(digest: "\(slug) invited", expiresAt: 9)))
            let device = StoredDevice(digest: "\(slug) device", user: "", name: "", createdAt: 1, seenAt: 1)
            _ = try recorder.users.accept("\(slug) invited", on: device, at: 1)
        }
        // The links to a piece of both athletes, and to one of the erased athlete alone.
        func link(_ digest: String, _ sessions: [String]) -> StoredPieceLink {
            StoredPieceLink(
                digest: digest, gateway: traffic.gateway, sessions: sessions, createdAt: 1, by: nil,
                expiresAt: 9)
        }
        let both = link("both", [Self.first, Self.second])
        for link in [both, link("alone", [Self.first])] { try recorder.pieceLinks.add(link) }
        // Results that coaches added, to a piece of both and to one of the athlete alone.
        func addition(_ id: String, of athlete: String, to sessions: [String]) -> StoredPieceAddition {
            StoredPieceAddition(
                id: id, gateway: both.gateway, sessions: sessions, pieceStartedAt: 1, athlete: athlete,
                result: .time(tenths: 5), day: "2026-09-05", note: "", addedAt: 1, by: nil)
        }
        let stays = addition("1", of: "ben", to: both.sessions)
        for addition in [
            stays, addition("2", of: Self.athlete, to: both.sessions),
            addition("3", of: "ben", to: [Self.first]),
        ] { try recorder.pieceAdditions.add(addition) }
        for athlete in [Self.athlete, "ben"] {
            try recorder.uploads.add(StoredUpload(name(Self.second), of: athlete, to: "strava", at: 1))
            try recorder.uploadAccounts.save(
                StoredUploadAccount(
                    athlete: athlete, destination: "strava", label: athlete, secret: [1], since: 1))
        }
        // Races and regattas with both athletes.
        let lanes =
            #"{"lanes":[{"athlete_id":"\#(Self.athlete)","athlete_name":"A","session_id":"s","#
            + #""result":{"session_id":"s","revision":1}},{"athlete_id":"ben","athlete_name":"B"}],"x":[1.50,null,true]}"#
        try recorder.raceDocuments.save(
            StoredRaceDocument(
                id: "r", kind: .race, changedAt: 1, body: Array(lanes.utf8), formerBody: Array(lanes.utf8)))
        let group = StoredGroup(id: "juniors", name: "Juniors", members: [Self.athlete, "ben"].sorted())
        try recorder.save([], [group])

        let eraser = try #require(try place.open(.editing) as? SQLStore)
        var reported: Int64 = 0
        let outcome = try StoreErasure(of: Self.athlete, in: eraser).run(at: Self.now) { done, _ in
            reported = done
        }
        eraser.close()
        #expect(outcome.records == here.count + 1 && outcome.acknowledgements == 1)
        #expect(outcome.sessions == 2 && reported == 2 && outcome.gateways == [traffic.gateway])
        #expect(try recorder.athletes(after: nil, limit: 9).map(\.slug) == ["ben"])
        #expect(try recorder.sessions(SessionFilter(limit: 9)).map(\.name) == [name(Self.second)])
        #expect(try recorder.size().records == others.count + 1)
        #expect(try recorder.statusMessages() == [])
        #expect(try recorder.heartLimits(of: nil).map(\.athlete) == ["ben"])
        #expect(try recorder.profiles().map(\.athlete) == ["ben"])
        #expect(try recorder.groups().map(\.members) == [["ben"]])
        #expect(
            try recorder.users.all().map(\.id) == ["ben"] && recorder.users.devices().map(\.user) == ["ben"])
        #expect(try recorder.pieceLinks.all() == [both])
        #expect(try recorder.pieceAdditions.all() == [stays])
        #expect(try recorder.uploads.all().map(\.athlete) == ["ben"])
        #expect(try recorder.uploadAccounts.all().map(\.athlete) == ["ben"])
        let anonymous =
            #"{"lanes":[{"result":{"session_id":"","revision":1}},"#
            + #"{"athlete_id":"ben","athlete_name":"B"}],"x":[1.50,null,true]}"#
        let document = try #require(try recorder.raceDocuments.document("r", .race))
        #expect(String(decoding: document.body, as: UTF8.self) == anonymous)
        #expect(document.formerBody == document.body)
        #expect(try recorder.notices(of: .best, about: "ben").count == 1)
        // Existing notices are withdrawn, and new ones from earlier findings are not added.
        #expect(try recorder.notices(of: .best, about: Self.athlete) == [])
        #expect(try recorder.notices(after: 2, limit: 9).count == 1)

        // The recording store learns of the erasure from the database.
        var late = StoreBatch(records: theirs + others + [seen], now: Self.later)
        late.notices = bestNotices(of: [Self.athlete: Self.first])
        let repeated = try recorder.commit(late)
        #expect(try recorder.notices(of: .best, about: Self.athlete) == [])
        #expect((repeated.added, repeated.forgotten, repeated.conflicts) == (5, 5, 0))
        let tomorrow = try traffic.record(
            .stroke, 9000,
            #""athlete_id":"\#(Self.athlete)","session_id":"\#(Self.third)X""#
                .replacingText("GX", by: "H") + #","stroke":1"#, at: Self.later)
        #expect(
            try recorder.commit(StoreBatch(records: [tomorrow], now: Self.later)).forgotten == 0)
        #expect(try recorder.size().records == others.count + 2)
        #expect(try removed(.stroke, in: recorder).contains(300))
        #expect(try recorder.faults() == [])
        recorder.close()
    }

    /// A session of one athlete counts for another by a correction. Erasing either erases it, also when its gateway
    /// sends it again.
    @Test(arguments: StoreUnderTest.allCases)
    mutating func erasesCorrectedSessions(_ kind: StoreUnderTest) async throws {
        for erased in ["anna", "ben"] {
            let store = try #require(try await kind.place().open(.recording) as? SQLStore)
            var traffic = traffic
            let records = try StoreBatch(
                traffic.session(Self.first, strokes: 3).named("anna"), now: Self.now
            ).records
            _ = try store.commit(StoreBatch(records: records, now: Self.now))
            _ = try store.correct(name(Self.first), to: .corrected("ben"), at: Self.now, by: nil)
            let outcome = try StoreErasure(of: erased, in: store).run(at: Self.now) { _, _ in }
            #expect(outcome.records == records.count && outcome.sessions == 1, "\(erased)")
            #expect(try store.sessions(SessionFilter(limit: 9)).isEmpty && store.corrections(of: nil).isEmpty)
            let report = try store.commit(StoreBatch(records: records, now: Self.later))
            #expect(report.forgotten == 0 && report.added == 0, "\(erased): the numbers stay known")
            store.close()
        }
    }

    @Test mutating func leavesNoByteOfAnErasedAthlete() throws {
        // Searches every byte of every file for the id.
        let folder = try TemporaryFolder()
        let path = folder.path("logbook.db")
        let recorder = try SQLiteStore(path, for: .recording)
        let (theirs, others) = try world()
        let seen = try alert(3, #","acknowledged_ms":5,"acknowledged_by":"\#(Self.athlete)""#)
        var batch = StoreBatch(records: theirs + others + [seen], now: Self.now)
        batch.notices = bestNotices(of: [Self.athlete: Self.first, "ben": Self.second])
        _ = try recorder.commit(batch)
        let stroke = try #require(theirs.first { $0.stream.stream.kind == .stroke })
        let other = try traffic.record(
            .stroke, stroke.sequence,
            #""athlete_id":"\#(Self.athlete)","session_id":"\#(Self.first)","stroke":77"#)
        #expect(
            try recorder.commit(StoreBatch(records: [other], now: Self.now)).conflicts == 1)
        try recorder.save(
            [StoredProfile(athlete: Self.athlete, changedAt: 1, body: Array("{}".utf8))],
            [StoredGroup(id: "juniors", name: "Juniors", members: [Self.athlete])])
        try recorder.users.save(
            StoredUser(id: "user", name: Self.athlete, role: "athlete", athlete: Self.athlete, createdAt: 1))
        #expect(try holds(Self.athlete, folder))
        let eraser = try SQLiteStore(path, for: .editing)
        _ = try StoreErasure(of: Self.athlete, in: eraser).run(at: Self.now) { _, _ in }
        eraser.close()
        #expect(try !holds(Self.athlete, folder))
        _ = try recorder.commit(StoreBatch(records: theirs + [seen, other], now: Self.later))
        #expect(try recorder.conflicts(limit: 9) == [])
        recorder.close()
        #expect(try !holds(Self.athlete, folder))
        #expect(try holds("ben", folder))
    }

    /// One best notice for each athlete, based on the given session.
    private func bestNotices(of athletes: [String: String]) -> NoticeChanges {
        var changes = NoticeChanges()
        changes.epoch = "01J0EP0CH000000000000000AA"
        changes.added = athletes.sorted { $0.key < $1.key }.map { athlete, session in
            Notice(
                .best, subject: "\(athlete) ranked", athlete: athlete, session: name(session),
                members: Array(#"{"athlete_id":"\#(athlete)"}"#.utf8))
        }
        return changes
    }

    private func holds(_ text: String, _ folder: TemporaryFolder) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(".")).contains { file in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(file)))
            return bytes.range(of: Data(text.utf8)) != nil
        }
    }
}
