import TestSupport
import Testing

@testable import Contract
@testable import DeliveryProof
@testable import LogbookStores

/// What is stored of a quarter, on each kind of store: every change of one of its sessions deletes it.
@Suite struct ClubQuarterStoreTests {
    private static let now: Int64 = 1_788_627_100_000
    private static let quarter = ClubQuarter(of: now)

    private var traffic = Traffic()

    private static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)" }

    private func name(_ number: Int) -> SessionName {
        SessionName(gateway: traffic.gateway, session: Self.id(number))
    }

    private func row(_ number: Int64, days: ClosedRange<Int64>? = nil) -> ClubQuarterTable.Row {
        ClubQuarterTable.Row(
            ClubQuarter(number: number), days: days, sessions: [1, UInt8(number % 256)],
            selected: [2, UInt8(number % 256)])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func readsWhatADayNeeds(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let store = try #require(try place.open(.recording) as? SQLStore)
        let reader = try place.open(.readOnly)
        let table = reader.clubQuarters
        try store.clubQuarters.save(row(7, days: 640...650), version: "1")
        try store.clubQuarters.save(row(8, days: 728...810), version: "1")
        try store.clubQuarters.save(row(9), version: "1")
        try store.clubQuarters.save(row(10, days: 910...910), version: "2")
        func bytes(_ days: ClosedRange<Int64>) throws -> [UInt8?] {
            let found = try table.sessions(version: "1", in: days)
            return (7...10).map { found[ClubQuarter(number: $0)]?.first }
        }
        #expect(try bytes(0...639) == [2, 2, 2, nil])
        #expect(try bytes(0...640) == [1, 2, 2, nil])
        #expect(try bytes(650...728) == [1, 1, 2, nil])
        #expect(try bytes(651...727) == [2, 2, 2, nil])
        #expect(try table.quarters(version: "2") == [ClubQuarter(number: 10)])
        // The newest version replaces the others.
        try store.clubQuarters.save(row(8, days: 728...810), version: "2")
        #expect(try bytes(0...1000) == [1, nil, 2, nil])
        #expect(try table.quartersWithSessions().isEmpty)
        #expect(throws: StoreFailure.self) { try table.save(row(8), version: "2") }
        for store in [store as any LogbookStore, reader] { store.close() }
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func everyChangeOfASessionDeletesItsQuarter(_ kind: StoreUnderTest) async throws {
        let store = try #require(try await kind.place().open(.recording) as? SQLStore)
        let (before, after) = (Self.quarter.number - 1, Self.quarter.number + 1)
        /// Returns which of four quarters are deleted by a change: the one before that of the sessions, this one, and
        /// the two that follow.
        func deleted(_ change: () throws -> Void) throws -> [Bool] {
            for number in before...after + 1 { try store.clubQuarters.save(row(number), version: "1") }
            try change()
            let left = try store.clubQuarters.quarters(version: "1")
            return (before...after + 1).map { !left.contains(ClubQuarter(number: $0)) }
        }
        // A session counts for the quarter after its own, too: its end decides about the next start.
        let both = [false, true, true, false]
        let none = [false, false, false, false]
        for number in 1...3 {
            let messages = traffic.session(Self.id(number), strokes: 3).named(number == 3 ? "ben" : "anna")
            let batch = try StoreBatch(messages, now: Self.now)
            #expect(try deleted { _ = try store.commit(batch) } == both, "a new session")
            #expect(try deleted { _ = try store.commit(batch) } == none, "records that are stored already")
        }
        #expect(try store.clubQuarters.quartersWithSessions() == [Self.quarter])
        func session(_ number: Int) throws -> StoredSession { try #require(try store.session(name(number))) }
        let metrics = StoredSessionMetrics(summary: nil, body: [])
        for number in 1...3 {
            #expect(
                try deleted {
                    try store.sessionMetrics.save(metrics, of: try session(number), version: 1)
                } == both, "new metrics")
        }
        var decided = StoreBatch(now: Self.now)
        decided.states[name(1)] = .differs
        #expect(try deleted { _ = try store.commit(decided) } == both, "another state")
        let late = try traffic.record(
            .stroke, 9000, #""session_id":"\#(Self.id(2))","stroke":99"#, at: Self.now)
        let batch = StoreBatch(records: [late], now: Self.now)
        #expect(try deleted { _ = try store.commit(batch) } == both, "another stroke")
        #expect(
            try deleted {
                _ = try store.correct(name(1), to: .corrected("carl"), at: Self.now, by: nil)
            } == both, "another athlete")
        #expect(
            try deleted {
                _ = try store.correct(name(1), to: .corrected("carl"), at: Self.now, by: nil)
            } == none, "the same athlete")
        #expect(
            try deleted { try store.database.run("UPDATE session SET athlete_id = 'emil'", []) } == both,
            "another athlete of all sessions, as by a merge")
        try store.database.run(
            "UPDATE session SET athlete_id = 'ben' WHERE session_id = ?", [.text(Self.id(3))])
        #expect(
            try deleted { _ = try StoreErasure(of: "ben", in: store).run(at: Self.now) { _, _ in } } == both,
            "an erased athlete")
        #expect(try store.database.number("SELECT count(*) FROM session") == 2)
        #expect(try store.faults() == [])
        store.close()
    }
}
