import LogbookStores
import TestSupport
import Testing

@testable import Contract
@testable import LogbookInspection

/// Moving a store from a file to a server.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct StoreMoveTests {
    private var traffic = Traffic()
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("logbook.db")
    }

    private func validated(_ messages: [Traffic.Message]) throws -> [ValidatedRecord] {
        try messages.map {
            let (gateway, _) = try #require(TopicPrefix.standard.parse($0.topic))
            return try ValidatedRecord($0.payload, of: try #require($0.stream), from: gateway)
        }
    }

    private mutating func commitSession(_ store: some LogbookStore, _ session: String, strokes: Int) throws {
        let records = try validated(traffic.session(session, strokes: strokes, missesItsEnd: true))
        var batch = StoreBatch(records: records + records.prefix(3), now: 1_788_627_100_000)
        var note = StreamNote()
        (note.begin, note.announced, note.gone) = (1, 90_000, [80_000...80_006])
        batch.notes[records[1].stream] = note
        _ = try store.commit(batch)
    }

    @Test mutating func movesEverything() async throws {
        // Moves the file, then moves it repeated after it grew; a logbook continues with the database.
        let file = try SQLiteStore(path, for: .recording)
        try commitSession(file, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3000)
        let plan = StoredPlan(slug: "winter", changedAt: 5, body: Array("{}".utf8))
        try file.save(plan)
        let heart = StoredHeartLimits(athlete: "anna", resting: 48, maximal: 192, givenAt: 5)
        try file.save(heart)
        let profile = StoredProfile(athlete: "anna", changedAt: 5, body: Array("{}".utf8))
        let group = StoredGroup(id: "juniors", name: "Juniors", members: ["anna"])
        try file.save([profile], [group])
        let user = StoredUser(
            id: "anna", name: "Änna", role: "athlete", athlete: "anna", createdAt: 5,
            invitation: .init(digest: "i", expiresAt: 9))
        try file.users.save(user)
        let device = StoredDevice(digest: "d", user: "anna", name: "iPad", createdAt: 5, seenAt: 5)
        _ = try file.users.accept("i", on: device, at: 5)
        try file.users.save(user)
        let merge = StoredMerge(
            athlete: "bea", kept: "anna", mergedAt: 5, by: "coach", saved: Array("{}".utf8))
        try file.merges.add(merge)
        let link = StoredPieceLink(
            digest: "l", gateway: traffic.gateway, sessions: ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE"], createdAt: 5,
            by: "Änna", expiresAt: 9)
        try file.pieceLinks.add(link)
        let regatta = StoredRaceDocument(
            id: "r", kind: .regatta, changedAt: 5, body: Array("{}".utf8), formerBody: Array("{ }".utf8))
        try file.raceDocuments.save(regatta)
        let addition = StoredPieceAddition(
            id: "a", gateway: traffic.gateway, sessions: link.sessions, pieceStartedAt: 5, athlete: "anna",
            result: .time(tenths: 4312), day: "2026-11-28", note: "Erg 3 failed", addedAt: 5, by: nil)
        try file.pieceAdditions.add(addition)
        let session = SessionName(gateway: traffic.gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        let upload = StoredUpload(session, of: "anna", to: "strava", at: 5)
        try file.uploads.add(upload)
        let account = StoredUploadAccount(
            athlete: "anna", destination: "strava", label: "Änna", secret: [0, 255], since: 5)
        try file.uploadAccounts.save(account)
        _ = try file.correct(session, to: .corrected("bea"), at: 5, by: nil)
        var ofSession = SessionFilter(limit: 1)
        ofSession.session = session.session
        var verified = StoreBatch(now: 5)
        verified.states[session] = .verified
        _ = try file.commit(verified)
        let stored = try #require(try file.sessions(ofSession).first)
        try file.sessionMetrics.save(
            StoredSessionMetrics(summary: nil, body: [1, 2]), of: stored, version: 1)
        let server = try await PrivatePostgreSQL.shared.value
        let address = try PostgreSQLAddress(try await server.makeDatabase())
        var reported: [Int64] = []
        for isFirst in [true, false] {
            let move = try StoreMove(from: path, to: address, patience: .seconds(60))
            #expect(!move.isFinished)
            try move.copy { records, all in reported.append(all - records) }
            let comparison = try StoreComparison(move.source, move.target)
            #expect(comparison.differences == [] && comparison.streams == 5)
            if !isFirst { try move.finish() }
            move.source.close()
            move.target.close()
            if isFirst {
                #expect(throws: StoreFailure.self) {
                    try PostgreSQLStore(address, for: .recording)
                }
                try commitSession(file, "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 20)
            }
        }
        #expect(reported.count == 3 && reported.last == 0)
        let repeated = try StoreMove(from: path, to: address, patience: .seconds(60))
        #expect(repeated.isFinished)
        repeated.target.close()
        let store = try PostgreSQLStore(address, for: .recording)
        #expect(try store.faults() == [] && store.plans() == [plan])
        #expect(try store.heartLimits(of: nil) == [heart])
        #expect(try store.profiles() == [profile] && store.groups() == [group])
        #expect(try store.merges.all() == [merge] && store.merges.sessions().map(\.athlete) == ["bea"])
        #expect(try store.users.all() == [user] && store.users.devices() == [device])
        #expect(try store.pieceLinks.all() == [link])
        #expect(try store.raceDocuments.all() == [regatta])
        #expect(try store.pieceAdditions.all() == [addition])
        #expect(try store.uploads.all() == [upload] && store.uploadAccounts.all() == [account])
        #expect(try store.sessionMetrics.body(of: session, version: 1) == [1, 2])
        try commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DG", strokes: 5)
        #expect(try store.sessions(SessionFilter(limit: 9)).map(\.strokes) == [5, 20, 3000])
        let comparison = try StoreComparison(file, store)
        #expect(comparison.differences.contains("different sessions"))
        #expect(!comparison.differences.contains("different training plans"))
        #expect(!comparison.differences.contains("different athletes or groups"))
        #expect(!comparison.differences.contains("different merges of athletes"))
        #expect(try store.removePlan("winter"))
        let other = try StoreComparison(file, store)
        #expect(other.differences.contains("different training plans"))
        try store.merges.removeSaved(until: 5)
        #expect(try StoreComparison(file, store).differences.contains("different merges of athletes"))
        #expect(!comparison.differences.contains("different shared links"))
        #expect(try store.pieceLinks.remove("l"))
        #expect(try StoreComparison(file, store).differences.contains("different shared links"))
        #expect(!comparison.differences.contains("different races or regattas"))
        #expect(try store.raceDocuments.remove("r", .regatta))
        #expect(try StoreComparison(file, store).differences.contains("different races or regattas"))
        #expect(!comparison.differences.contains("different results that coaches added"))
        #expect(try store.pieceAdditions.remove("a"))
        #expect(try StoreComparison(file, store).differences.contains("different results that coaches added"))
        #expect(!comparison.differences.contains("different uploads to other services"))
        try store.uploads.remove(upload)
        #expect(try StoreComparison(file, store).differences.contains("different uploads to other services"))
        #expect(try store.removeGroup("juniors"))
        #expect(try StoreComparison(file, store).differences.contains("different athletes or groups"))
    }

    @Test mutating func refusesAnOccupiedDatabase() async throws {
        let file = try SQLiteStore(path, for: .recording)
        try commitSession(file, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        let server = try await PrivatePostgreSQL.shared.value
        let address = try PostgreSQLAddress(try await server.makeDatabase())
        let store = try PostgreSQLStore(address, for: .recording)
        try commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3)
        store.close()
        let occupied = #expect(throws: StoreFailure.self) {
            try StoreMove(from: path, to: address, patience: .seconds(60))
        }
        #expect(occupied?.cause == "it contains records that a logbook has written")
        let other = try PostgreSQLAddress(try await server.makeDatabase())
        try StoreMove(from: path, to: other, patience: .seconds(60)).target.close()
        let copy = folder.path("other.db")
        try SQLiteStore(copy, for: .recording).close()
        let strange = #expect(throws: StoreFailure.self) {
            try StoreMove(from: copy, to: other, patience: .seconds(60))
        }
        #expect(strange?.cause == "it contains records of \(path)")
    }
}
