import Bytes
import DeliveryProof
import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// What is taken out of a store on purpose, on each kind of store.
@Suite struct StoreRemovalTests {
    private static let first = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private static let second = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
    private static let third = "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"
    /// When sessions are rowed and stored here, and a day later.
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

    /// All the way, as the program does it.
    private func remove(
        _ kind: StreamKind, before time: Int64, in store: any LogbookStore
    ) throws -> Int {
        var pass = RetentionPass(kind, before: time)
        while !pass.isDone { try store.remove(&pass) }
        return pass.removed
    }

    // MARK: Retention

    @Test(arguments: StoreUnderTest.allCases)
    mutating func oldCurvesGoAndTheirNumbersStay(_ kind: StoreUnderTest) async throws {
        // Goal: what is old of one kind goes, of judged sessions alone, and comes back by no replay.
        // Method: a verified session of 450 strokes and one that lacks records; too early, and a day
        // later; then everything again, and what was never there.
        let place = try await kind.place()
        let session = traffic.session(Self.first, strokes: 450)
        let open = traffic.session(Self.second, strokes: 3)
        let store = try place.open(.keeping)
        var batch = try StoreBatch(session + open, now: Self.now)
        batch.states = [name(Self.first): .verified, name(Self.second): .missing]
        _ = try store.commit(batch)
        #expect(try remove(.force, before: Self.now, in: store) == 0)
        #expect(try remove(.force, before: Self.later, in: store) == 450)
        #expect(try remove(.force, before: Self.later, in: store) == 0)
        #expect(try removed(.force, in: store).ranges == [1...450])
        #expect(try removed(.stroke, in: store).ranges == [])

        let again = try store.commit(StoreBatch(session.map(\.replayed), now: Self.later))
        #expect((again.added, again.repeats, again.conflicts) == (0, session.count, 0))
        store.close()
        let reopened = try place.open(.keeping)
        #expect(try reopened.size().records == session.count + open.count - 450)
        #expect(try reopened.records(of: .force, in: name(Self.first)).isEmpty)
        #expect(try reopened.records(of: .force, in: name(Self.second)).count == 3)
        #expect(try reopened.records(of: .stroke, in: name(Self.first)).count == 450)
        let sessions = try reopened.sessions(SessionFilter(limit: 9))
        #expect(sessions.map(\.isThinned) == [false, true])
        #expect(sessions.map(\.state) == [.missing, .verified])
        // It cannot be judged by what is left.
        #expect(try reopened.evidence(of: name(Self.first)) == nil)
        #expect(try reopened.evidence(of: name(Self.second)) != nil)
        #expect(try reopened.faults() == [])
        #expect(try StreamAccount.all(in: reopened).allSatisfy { $0.lost == 0 })
        reopened.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func whatIsStoredLateIsKeptAsLong(_ kind: StoreUnderTest) async throws {
        // Goal: a record that a replay brings, or whose clock was never set, does not go at once. Method:
        // a curve of 1970 and one of today, both stored now; a pass for what is older than now.
        let store = try await kind.place().open(.keeping)
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

    @Test mutating func spaceComesBackToTheDisk() throws {
        // Goal: a file of SQLite gets smaller bit by bit, and by a rewriting what lies between records
        // that stay goes too. Method: its size before and after.
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder.path("logbook.db"), for: .keeping)
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

    /// The session's records with an athlete in those that may name one.
    private func named(_ athlete: String, _ messages: [Traffic.Message]) -> [Traffic.Message] {
        messages.map { message in
            switch message.stream?.kind {
            case .stroke, .split, .summary:
                message.replacing(
                    #""session_id":"#, by: #""athlete_id":"\#(athlete)","session_id":"#)
            case .session:
                message.replacing(
                    #""session_id":"#, by: #""athlete_id":"\#(athlete)","session_id":"#)
            default: message
            }
        }
    }

    private func alert(_ number: UInt64, _ fields: String) throws -> KeptRecord {
        try traffic.record(
            .alert, number,
            #""alert_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1A\#(number)","state":"firing","#
                + #""rule":"stopped""# + fields)
    }

    /// Two sessions of theirs, one of somebody else, and what they left beside them.
    private mutating func world() throws -> (theirs: [KeptRecord], others: [KeptRecord]) {
        let theirs = named(Self.athlete, traffic.session(Self.first, strokes: 300))
        let own = try theirs.map(KeptRecord.init) + [alert(1, #","athlete_id":"\#(Self.athlete)""#)]
        let others = try named("ben", traffic.session(Self.second, strokes: 20))
            .map(KeptRecord.init)
        return (own, others + [try alert(2, #","acknowledged_ms":5,"acknowledged_by":"anna_x""#)])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func whoIsForgottenStaysForgotten(_ kind: StoreUnderTest) async throws {
        // Goal: everything of theirs goes, nothing of others does, beside a logbook that writes, and no
        // replay brings it back. Method: an eraser beside a store that is kept; then all again, records
        // that had not come, another session that was under way, and a row of tomorrow.
        let place = try await kind.place()
        let keeper = try place.open(.keeping)
        let (theirs, others) = try world()
        let seen = try alert(3, #","acknowledged_ms":5,"acknowledged_by":"\#(Self.athlete)""#)
        let missed = theirs.filter { $0.stream.stream.kind == .stroke }.suffix(5)
        let here = theirs.filter { record in
            !missed.contains { $0.stream == record.stream && $0.sequence == record.sequence }
        }
        var batch = StoreBatch(records: here + others + [seen], now: Self.now)
        batch.words = [
            GatewayWord(
                gateway: traffic.gateway, kind: .health, heardAt: 1,
                payload: Array(#"{"reasons":["\#(Self.athlete)"]}"#.utf8))
        ]
        batch.notices = said(of: [Self.athlete: Self.first, "ben": Self.second])
        _ = try keeper.commit(batch)
        let altered = named(Self.athlete, [traffic.session(Self.third, strokes: 1)[1]])
        _ = try keeper.commit(StoreBatch(altered, now: Self.now))
        for slug in [Self.athlete, "ben"] {
            try keeper.keep(KeptHeart(athlete: slug, resting: 48, maximal: 192, givenAt: 1))
        }

        let eraser = try #require(try place.open(.changing) as? SQLStore)
        var told: Int64 = 0
        let outcome = try StoreErasure(of: Self.athlete, in: eraser).run(at: Self.now) { done, _ in
            told = done
        }
        eraser.close()
        #expect(outcome.records == here.count + 1 && outcome.acknowledgements == 1)
        #expect(outcome.sessions == 2 && told == 2 && outcome.gateways == [traffic.gateway])
        #expect(try keeper.athletes(after: nil, limit: 9).map(\.slug) == ["ben"])
        #expect(try keeper.sessions(SessionFilter(limit: 9)).map(\.name) == [name(Self.second)])
        #expect(try keeper.size().records == others.count + 1)
        #expect(try keeper.words() == [])
        #expect(try keeper.hearts(of: nil).map(\.athlete) == ["ben"])
        #expect(try keeper.notices(of: .best, about: "ben").count == 1)
        // What was said of them is taken back, and what was found out before is said no more.
        #expect(try keeper.notices(of: .best, about: Self.athlete) == [])
        #expect(try keeper.notices(after: 2, limit: 9).count == 1)

        // The keeper learns of it by itself.
        var late = StoreBatch(records: theirs + others + [seen], now: Self.later)
        late.notices = said(of: [Self.athlete: Self.first])
        let again = try keeper.commit(late)
        #expect(try keeper.notices(of: .best, about: Self.athlete) == [])
        #expect((again.added, again.forgotten, again.conflicts) == (5, 5, 0))
        let tomorrow = try traffic.record(
            .stroke, 9000,
            #""athlete_id":"\#(Self.athlete)","session_id":"\#(Self.third)X""#
                .replacingText("GX", by: "H") + #","stroke":1"#, at: Self.later)
        #expect(
            try keeper.commit(StoreBatch(records: [tomorrow], now: Self.later)).forgotten == 0)
        #expect(try keeper.size().records == others.count + 2)
        #expect(try removed(.stroke, in: keeper).contains(300))
        #expect(try keeper.faults() == [])
        keeper.close()
    }

    @Test mutating func noByteIsLeftInTheFile() throws {
        // Goal: the file does not hold the id any more, nor its log. Method: their sessions between
        // those of others, a conflict, and an alert that they have seen; every byte of every file.
        let folder = try TemporaryFolder()
        let path = folder.path("logbook.db")
        let keeper = try SQLiteStore(path, for: .keeping)
        let (theirs, others) = try world()
        let seen = try alert(3, #","acknowledged_ms":5,"acknowledged_by":"\#(Self.athlete)""#)
        var batch = StoreBatch(records: theirs + others + [seen], now: Self.now)
        batch.notices = said(of: [Self.athlete: Self.first, "ben": Self.second])
        _ = try keeper.commit(batch)
        let stroke = try #require(theirs.first { $0.stream.stream.kind == .stroke })
        let other = try traffic.record(
            .stroke, stroke.sequence,
            #""athlete_id":"\#(Self.athlete)","session_id":"\#(Self.first)","stroke":77"#)
        #expect(
            try keeper.commit(StoreBatch(records: [other], now: Self.now)).conflicts == 1)
        #expect(try holds(Self.athlete, folder))
        let eraser = try SQLiteStore(path, for: .changing)
        _ = try StoreErasure(of: Self.athlete, in: eraser).run(at: Self.now) { _, _ in }
        eraser.close()
        #expect(try !holds(Self.athlete, folder))
        _ = try keeper.commit(StoreBatch(records: theirs + [seen, other], now: Self.later))
        #expect(try keeper.conflicts(limit: 9) == [])
        keeper.close()
        #expect(try !holds(Self.athlete, folder))
        #expect(try holds("ben", folder))
    }

    /// A notice of each of these, resting on that session.
    private func said(of athletes: [String: String]) -> NoticeChanges {
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
