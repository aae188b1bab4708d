import LogbookStores
import TestSupport
import Testing

@testable import Contract
@testable import LogbookInspection

/// From a file to a server.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct StoreMoveTests {
    private var traffic = Traffic()
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("logbook.db")
    }

    private func kept(_ messages: [Traffic.Message]) throws -> [KeptRecord] {
        try messages.map {
            let (gateway, _) = try #require(TopicMap.read($0.topic))
            return try KeptRecord($0.payload, of: try #require($0.stream), from: gateway)
        }
    }

    private mutating func fill(_ store: some LogbookStore, _ session: String, strokes: Int) throws {
        let records = try kept(traffic.session(session, strokes: strokes, missesItsEnd: true))
        var batch = StoreBatch(records: records + records.prefix(3), now: 1_788_627_100_000)
        var note = StreamNote()
        (note.begin, note.announced, note.gone) = (1, 90_000, [80_000...80_006])
        batch.notes[records[1].stream] = note
        _ = try store.commit(batch)
    }

    @Test mutating func everythingIsTheSameAfterwards() async throws {
        // Goal: records, notes and counts arrive, an ended move goes on, and one that is done is not
        // done twice. Method: a move before and after the file grew; a logbook that goes on with it.
        let file = try SQLiteStore(path, for: .keeping)
        try fill(file, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3000)
        let plan = KeptPlan(slug: "winter", changedAt: 5, body: Array("{}".utf8))
        try file.put(plan)
        let heart = KeptHeart(athlete: "anna", resting: 48, maximal: 192, givenAt: 5)
        try file.keep(heart)
        let server = try await PrivatePostgreSQL.shared.value
        let address = try PostgreSQLAddress(try await server.makeDatabase())
        var told: [Int64] = []
        for isFirst in [true, false] {
            let move = try StoreMove(from: path, to: address, patience: .seconds(60))
            #expect(!move.isFinished)
            try move.copy { records, all in told.append(all - records) }
            let comparison = try StoreComparison(move.source, move.target)
            #expect(comparison.differences == [] && comparison.streams == 5)
            if !isFirst { try move.finish() }
            move.source.close()
            move.target.close()
            if isFirst {
                #expect(throws: StoreFailure.self) {
                    try PostgreSQLStore(address, for: .keeping)
                }
                try fill(file, "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 20)
            }
        }
        #expect(told.count == 3 && told.last == 0)
        let again = try StoreMove(from: path, to: address, patience: .seconds(60))
        #expect(again.isFinished)
        again.target.close()
        let store = try PostgreSQLStore(address, for: .keeping)
        #expect(try store.faults() == [] && store.plans() == [plan])
        #expect(try store.hearts(of: nil) == [heart])
        try fill(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DG", strokes: 5)
        #expect(try store.sessions(SessionFilter(limit: 9)).map(\.strokes) == [5, 20, 3000])
        let comparison = try StoreComparison(file, store)
        #expect(comparison.differences.contains("their sessions are not the same"))
        #expect(!comparison.differences.contains("their training plans are not the same"))
        #expect(try store.removePlan("winter"))
        let other = try StoreComparison(file, store)
        #expect(other.differences.contains("their training plans are not the same"))
    }

    @Test mutating func whatHoldsSomethingElseIsRefused() async throws {
        // Goal: two logbooks are not mixed. Method: a database that a logbook keeps records in, and one
        // that another file is being moved into.
        let file = try SQLiteStore(path, for: .keeping)
        try fill(file, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        let server = try await PrivatePostgreSQL.shared.value
        let address = try PostgreSQLAddress(try await server.makeDatabase())
        let store = try PostgreSQLStore(address, for: .keeping)
        try fill(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3)
        store.close()
        let occupied = #expect(throws: StoreFailure.self) {
            try StoreMove(from: path, to: address, patience: .seconds(60))
        }
        #expect(occupied?.cause == "it holds records that a logbook has kept there")
        let other = try PostgreSQLAddress(try await server.makeDatabase())
        try StoreMove(from: path, to: other, patience: .seconds(60)).target.close()
        let copy = folder.path("other.db")
        try SQLiteStore(copy, for: .keeping).close()
        let strange = #expect(throws: StoreFailure.self) {
            try StoreMove(from: copy, to: other, patience: .seconds(60))
        }
        #expect(strange?.cause == "it holds records of \(path)")
    }
}
