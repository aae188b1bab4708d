import TestSupport
import Testing

@testable import Contract
@testable import DeliveryProof
@testable import LogbookStores

/// Stored session metrics, on each kind of store: every change of a session deletes its metrics.
@Suite struct SessionMetricsStoreTests {
    private static let now: Int64 = 1_788_627_100_000
    private static let later = now + 100 * 86_400_000

    private var traffic = Traffic()

    private static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)" }

    private func name(_ number: Int) -> SessionName {
        SessionName(gateway: traffic.gateway, session: Self.id(number))
    }

    private static let metrics = StoredSessionMetrics(
        summary: .init(
            startedAt: 5, centiseconds: 40_000, decimetres: 20_000, machine: "rower", rankedEvent: "2000m"),
        body: [1, 2, 3])
    private static let noRowing = StoredSessionMetrics(summary: nil, body: [])

    private func session(_ number: Int, in store: any LogbookStore) throws -> StoredSession {
        var filter = SessionFilter(limit: 1)
        filter.session = Self.id(number)
        return try #require(try store.sessions(filter).first)
    }

    private func save(
        _ number: Int, _ metrics: StoredSessionMetrics = metrics, version: Int = 1, in store: any LogbookStore
    ) throws {
        try store.sessionMetrics.save(metrics, of: try session(number, in: store), version: version)
    }

    private func body(_ number: Int, version: Int = 1, in store: any LogbookStore) throws -> [UInt8]? {
        try store.sessionMetrics.body(of: name(number), version: version)
    }

    private func decide(_ number: Int, _ state: SessionState, in store: any LogbookStore) throws {
        var batch = StoreBatch(now: Self.now)
        batch.states[name(number)] = state
        _ = try store.commit(batch)
    }

    /// Stores verified sessions with the numbers 1 to `count`, of anna if odd, otherwise of ben.
    private mutating func fill(_ store: any LogbookStore, _ count: Int) throws {
        for number in 1...count {
            let athlete = number % 2 == 1 ? "anna" : "ben"
            let messages = traffic.session(Self.id(number), strokes: 3).named(athlete)
            _ = try store.commit(try StoreBatch(messages, now: Self.now))
            try decide(number, .verified, in: store)
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func findsMetricsByAthleteSessionAndVersion(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let recorder = try place.open(.recording)
        try fill(recorder, 3)
        let (editor, reader) = (try place.open(.editing), try place.open(.readOnly))
        try save(1, in: editor)
        try save(2, Self.noRowing, in: editor)
        let table = reader.sessionMetrics
        #expect(try body(1, in: reader) == [1, 2, 3])
        #expect(try body(2, in: reader) == [])
        #expect(try body(3, in: reader) == nil)
        #expect(try body(1, version: 2, in: reader) == nil)
        let own = try table.sessions(of: "anna", version: 1)
        #expect(own.map(\.name) == [name(3), name(1)] && own.map(\.body) == [nil, [1, 2, 3]])
        #expect(try own.map(\.firstAt) == [3, 1].map { try session($0, in: reader).firstAt })
        #expect(try table.sessions(of: "anna", version: 2).map(\.body) == [nil, nil])
        #expect(try table.sessions(of: "ben", version: 1).map(\.body) == [[]])
        #expect(try table.sessions(of: "nobody", version: 1).isEmpty)
        let list = try table.list(version: 1)
        #expect(
            list.map(\.name) == [name(1), name(2), name(3)] && list.map(\.hasMetrics) == [true, true, false])
        #expect(list.map(\.summary) == [Self.metrics.summary, nil, nil])
        #expect(list.map(\.athlete) == ["anna", "ben", "anna"])
        #expect(try table.list(version: 2).map(\.hasMetrics) == [false, false, false])
        #expect(throws: StoreFailure.self) { try save(3, in: reader) }
        // The end of the session before on the erg, for a ranked result.
        try save(3, in: editor)
        let end = try session(2, in: reader).endedAt
        #expect(try end != nil && table.sessions(of: "anna", version: 1).map(\.endBefore) == [end, nil])
        // A new version replaces the metrics of the former one.
        try save(1, Self.noRowing, version: 2, in: editor)
        #expect(try body(1, in: reader) == nil)
        #expect(try body(1, version: 2, in: reader) == [])
        for store in [reader, editor, recorder] { store.close() }
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func listsSessionsWithoutMetricsInSteps(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        try fill(store, 5)
        try save(2, in: store)
        var (cursor, found, steps): (SessionCursor?, [SessionName], Int) = (nil, [], 0)
        repeat {
            let missing = try store.sessionMetrics.missing(version: 1, after: cursor, count: 2)
            (cursor, found, steps) = (missing.next, found + missing.sessions, steps + 1)
        } while cursor != nil
        #expect(steps == 3 && found == [name(5), name(4), name(3), name(1)])
        #expect(try store.sessionMetrics.missing(version: 2, after: nil, count: 9).sessions.count == 5)
        store.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func everyChangeDeletesTheMetrics(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let store = try #require(try place.open(.recording) as? SQLStore)
        try fill(store, 5)
        for number in 1...5 { try save(number, in: store) }
        // A record.
        let late = try traffic.record(
            .stroke, 9000, #""session_id":"\#(Self.id(1))","stroke":99"#, at: Self.now)
        _ = try store.commit(StoreBatch(records: [late], now: Self.now))
        // Another state.
        try decide(2, .differs, in: store)
        #expect(try (1...5).map { try body($0, in: store) != nil } == [false, false, true, true, true])
        // The athlete changes nothing that is computed.
        _ = try store.correct(name(5), to: .corrected("carl"), at: Self.now, by: nil)
        let corrected = try store.sessionMetrics.sessions(of: "carl", version: 1)
        #expect(corrected.map(\.name) == [name(5)] && corrected.map(\.body) == [[1, 2, 3]])
        // Removed records, of all sessions.
        var pass = RetentionPass(.stroke, before: Self.later)
        while !pass.isDone { try store.remove(&pass) }
        #expect(pass.removed > 0)
        #expect(try store.sessionMetrics.list(version: 1).allSatisfy { !$0.hasMetrics })
        // An erased athlete.
        try save(3, in: store)
        try save(4, in: store)
        _ = try StoreErasure(of: "ben", in: store).run(at: Self.later) { _, _ in }
        let left = try store.sessionMetrics.sessions(of: "anna", version: 1)
        #expect(left.count { $0.body != nil } == 1)
        #expect(try store.database.number("SELECT count(*) FROM session_metrics") == 1)
        #expect(try store.faults() == [])
        store.close()
    }

    /// The list of sessions shows the same counts with and without metrics.
    @Test(arguments: StoreUnderTest.allCases)
    mutating func listsTheSameStrokeCounts(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        try fill(store, 3)
        let late = try traffic.record(
            .stroke, 9000, #""session_id":"\#(Self.id(1))","stroke":99"#, at: Self.now)
        _ = try store.commit(StoreBatch(records: [late], now: Self.now))
        let counted = try store.sessions(SessionFilter(limit: 9))
        #expect(counted.map(\.strokes) == [3, 3, 3] && counted.map(\.foreignStrokes) == [0, 0, 1])
        for number in 1...3 { try save(number, in: store) }
        #expect(try store.sessionMetrics.list(version: 1).allSatisfy(\.hasMetrics))
        #expect(try store.sessions(SessionFilter(limit: 9)) == counted)
        store.close()
    }
}
