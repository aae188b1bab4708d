import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Sessions of merged athlete ids, on each kind of store.
@Suite struct MergeStoreTests {
    private static let ids = [
        "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", "01J7ZK3Q5XQ4W8G9T2V6B0C1DG",
    ]
    private var traffic = Traffic()

    private func name(_ session: Int) -> SessionName {
        SessionName(gateway: traffic.gateway, session: Self.ids[session])
    }

    /// The athletes of all sessions, in order of the sessions' ids.
    private func athletes(in store: any LogbookStore) throws -> [String?] {
        try store.sessions(SessionFilter(limit: 9)).sorted { $0.name.session < $1.name.session }.map(
            \.athlete)
    }

    private func merge(
        _ athlete: String, into kept: String, at time: Int64 = 5, in store: any LogbookStore
    ) throws {
        try store.atomically {
            try store.merges.add(
                StoredMerge(
                    athlete: athlete, kept: kept, mergedAt: time, by: "coach", saved: Array("{}".utf8)))
        }
    }

    private func unmerge(_ athlete: String, in store: any LogbookStore) throws {
        try store.atomically { try store.merges.remove(athlete) }
    }

    /// Saves a session of each of three athletes.
    private mutating func saveSessions(
        of athletes: [String] = ["anna", "ben", "carl"], in store: any LogbookStore
    ) throws {
        for (id, athlete) in zip(Self.ids, athletes) {
            _ = try store.commit(StoreBatch(traffic.session(id, strokes: 3).named(athlete)))
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func sessionsCountForTheKeptAthleteUntilUndone(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let store = try place.open(.recording)
        try saveSessions(in: store)
        let before = try Self.ids.indices.map { try store.records(of: .stroke, in: name($0)) }
        let reader = try place.open(.readOnly)
        try merge("ben", into: "anna", in: try place.open(.editing))
        #expect(try athletes(in: reader) == ["anna", "anna", "carl"])
        #expect(try reader.athletes(after: nil, limit: 9).map(\.sessions) == [2, 1])
        var filter = SessionFilter(limit: 9)
        // The merged id is another name of the athlete.
        for id in ["anna", "ben"] {
            filter.athlete = id
            #expect(try reader.sessions(filter).count == 2, "\(id)")
        }
        #expect(try reader.merges.current(of: "ben") == "anna" && reader.merges.current(of: "carl") == "carl")
        #expect(try reader.merges.ids(of: "anna") == ["ben"] && reader.merges.ids(of: "ben") == [])
        #expect(try reader.merges.sessionCount(of: "anna") == 2)
        let merged = try #require(try reader.merges.all().first)
        #expect(merged.by == "coach" && merged.mergedAt == 5 && merged.saved == Array("{}".utf8))
        #expect(try reader.sessions(SessionFilter(limit: 9)).allSatisfy { !$0.isCorrected })
        let after = try Self.ids.indices.map { try store.records(of: .stroke, in: name($0)) }
        #expect(before == after, "records are not changed")
        #expect(try store.corrections(of: nil) == [])
        try unmerge("ben", in: store)
        #expect(try athletes(in: reader) == ["anna", "ben", "carl"])
        #expect(try reader.merges.all() == [] && reader.merges.sessions().isEmpty)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func laterRecordsCountForTheKeptAthlete(_ kind: StoreUnderTest) async throws {
        // One session is open during the merge, the other comes later.
        let store = try await kind.place().open(.recording)
        let open = traffic.session(Self.ids[0], strokes: 3).named("ben")
        _ = try store.commit(StoreBatch(Array(open.prefix(2))))
        try merge("ben", into: "anna", in: store)
        _ = try store.commit(StoreBatch(Array(open.dropFirst(2))))
        let late = traffic.session(Self.ids[1], strokes: 2).named("ben")
        _ = try store.commit(StoreBatch(late))
        #expect(try athletes(in: store) == ["anna", "anna"])
        // The same records again, as after a lost acknowledgement.
        _ = try store.commit(StoreBatch(open + late))
        #expect(try athletes(in: store) == ["anna", "anna"])
        try unmerge("ben", in: store)
        #expect(try athletes(in: store) == ["ben", "ben"])
        #expect(try store.faults() == [])
    }

    /// Corrections before the merge come back, and those after it stay.
    @Test(arguments: StoreUnderTest.allCases)
    mutating func correctionsSurviveMergeAndUndo(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        try saveSessions(of: ["ben", "ben", "carl"], in: store)
        // The third session counts for ben by a correction.
        _ = try store.correct(name(2), to: .corrected("ben"), at: 1, by: "coach")
        let before = try store.sessions(SessionFilter(limit: 9))
        try merge("ben", into: "anna", in: store)
        #expect(try athletes(in: store) == ["anna", "anna", "anna"])
        try unmerge("ben", in: store)
        #expect(try store.sessions(SessionFilter(limit: 9)) == before)
        try merge("ben", into: "anna", in: store)
        // One is set by a person to another athlete, one to the kept athlete.
        let corrected = try store.correct(name(0), to: .corrected("dora"), at: 2, by: "coach")
        #expect(corrected?.former == "anna" && corrected?.new == "dora")
        _ = try store.correct(name(1), to: .corrected("anna"), at: 3, by: "coach")
        try unmerge("ben", in: store)
        #expect(try athletes(in: store) == ["dora", "anna", "ben"])
        for index in 0..<3 { _ = try store.correct(name(index), to: .asRecorded, at: 4, by: nil) }
        #expect(try athletes(in: store) == ["ben", "ben", "carl"])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func correctionToTheMergedAthleteCountsForTheKeptOne(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        try saveSessions(of: ["carl", "ben"], in: store)
        try merge("ben", into: "anna", in: store)
        let correction = try store.correct(name(0), to: .corrected("ben"), at: 2, by: nil)
        #expect(correction?.new == "anna")
        _ = try store.correct(name(1), to: .corrected(nil), at: 3, by: nil)
        #expect(try store.correct(name(1), to: .asRecorded, at: 4, by: nil)?.new == "anna")
        #expect(try athletes(in: store) == ["anna", "anna"])
        try unmerge("ben", in: store)
        #expect(try athletes(in: store) == ["ben", "ben"])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func chainsLeadToTheLastAthlete(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        try saveSessions(in: store)
        try merge("carl", into: "ben", in: store)
        try merge("ben", into: "anna", at: 6, in: store)
        #expect(try athletes(in: store) == ["anna", "anna", "anna"])
        #expect(try store.merges.all().map(\.current) == ["anna", "anna"])
        #expect(try store.merges.ids(of: "anna") == ["ben", "carl"])
        #expect(try store.merges.sessions().map(\.athlete) == ["ben", "carl"])
        try unmerge("ben", in: store)
        #expect(try athletes(in: store) == ["anna", "ben", "ben"])
        #expect(try store.merges.current(of: "carl") == "ben")
        try merge("ben", into: "anna", at: 7, in: store)
        try unmerge("carl", in: store)
        #expect(try athletes(in: store) == ["anna", "anna", "carl"])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func answersToSuggestionsOfBothIDsCount(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        func response(_ athlete: String, _ id: String, _ answer: String, _ time: Int64)
            -> StoredSuggestionResponse
        {
            StoredSuggestionResponse(
                athlete: athlete, id: id, answer: answer, at: time, body: Array("{}".utf8))
        }
        try store.save(response("anna", "one", "accepted", 1))
        try store.save(response("ben", "one", "dismissed", 2))
        try store.save(response("ben", "two", "dismissed", 3))
        let before = try store.suggestions(of: nil)
        try merge("ben", into: "anna", in: store)
        let expected = [response("anna", "two", "dismissed", 3), response("anna", "one", "dismissed", 2)]
        for athlete in ["anna", "ben", nil] { #expect(try store.suggestions(of: athlete) == expected) }
        try unmerge("ben", in: store)
        #expect(try store.suggestions(of: nil) == before && before.count == 3)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func savedDataAreRemovedAtTheEnd(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        try merge("ben", into: "anna", at: 10, in: store)
        try merge("carl", into: "anna", at: 11, in: store)
        try store.merges.removeSaved(until: 10)
        #expect(try store.merges.all().map { $0.saved == nil } == [true, false])
        #expect(try store.merges.current(of: "ben") == "anna")
    }

    /// An error in the middle of a change leaves nothing of it behind, also of nested transactions.
    @Test(arguments: StoreUnderTest.allCases)
    mutating func failedChangeLeavesNothing(_ kind: StoreUnderTest) async throws {
        struct Refusal: Error {}
        let store = try await kind.place().open(.recording)
        try saveSessions(in: store)
        let first = name(0)
        #expect(throws: Refusal.self) {
            try store.atomically {
                try store.save([StoredProfile(athlete: "anna", changedAt: 1, body: Array("{}".utf8))], [])
                _ = try store.correct(first, to: .corrected("ben"), at: 1, by: nil)
                try store.merges.add(
                    StoredMerge(athlete: "ben", kept: "anna", mergedAt: 1, by: nil, saved: nil))
                throw Refusal()
            }
        }
        #expect(try store.profiles() == [] && store.merges.all() == [] && store.corrections(of: nil) == [])
        #expect(try athletes(in: store) == ["anna", "ben", "carl"])
        // The next transaction works.
        try merge("ben", into: "anna", in: store)
        #expect(try athletes(in: store).prefix(2) == ["anna", "anna"])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func checkFindsWrongSessions(_ kind: StoreUnderTest) async throws {
        let store = try #require(try await kind.place().open(.recording) as? SQLStore)
        try saveSessions(in: store)
        try merge("ben", into: "anna", in: store)
        #expect(try store.faults() == [])
        for athlete in ["ben", "carl"] {
            try store.database.run(
                "UPDATE session SET athlete_id = ? WHERE session_id = ?",
                [.text(athlete), .text(Self.ids[1])])
            #expect(try store.faults() == ["1 sessions of merged athletes count for another athlete"])
        }
        store.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func erasureIncludesMergedIDs(_ kind: StoreUnderTest) async throws {
        let store = try #require(try await kind.place().open(.recording) as? SQLStore)
        var batches: [StoreBatch] = []
        for (id, athlete) in zip(Self.ids, ["anna", "ben", "carl"]) {
            batches.append(try StoreBatch(traffic.session(id, strokes: 3).named(athlete)))
            _ = try store.commit(batches[batches.count - 1])
        }
        // A session of carl counts for ben, and so for anna.
        _ = try store.correct(name(2), to: .corrected("ben"), at: 1, by: nil)
        try store.save(
            StoredSuggestionResponse(athlete: "ben", id: "one", answer: "dismissed", at: 1, body: []))
        try merge("ben", into: "anna", in: store)
        let outcome = try StoreErasure(of: "anna", in: store).run(at: 1_788_627_200_000) { _, _ in }
        #expect(outcome.sessions == 3 && outcome.records == batches.reduce(0) { $0 + $1.records.count })
        #expect(try store.sessions(SessionFilter(limit: 9)).isEmpty && store.merges.all().isEmpty)
        #expect(try store.suggestions(of: nil).isEmpty && store.corrections(of: nil).isEmpty)
        let forgotten = try ForgottenAthletes(in: store.database)
        let late = try StoreBatch(traffic.session(Self.ids[0], strokes: 4).named("ben")).records
        #expect(try late.allSatisfy { try forgotten.covers($0, store.database) })
        store.close()
    }

    /// The previous version of the store has a session; its migration keeps it, and a merge works.
    @Test(arguments: StoreUnderTest.allCases)
    mutating func migratesTheVersionBeforeMerges(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let former = try #require(try place.open(.recording) as? SQLStore)
        try saveSessions(in: former)
        let ofKind =
            kind == .sqlite
            ? ["DROP TABLE record_dictionary"]
                + ["added", "removed", "changed"].map { "DROP TRIGGER club_quarter_session_\($0)" }
            : ["", "_of_metrics"].map { "DROP FUNCTION club_quarter_remove\($0) CASCADE" }
        for statement in ofKind + [
            "DROP TABLE upload", "DROP TABLE upload_account", "DROP TABLE session_metrics",
            "DROP TABLE club_quarter", "DROP TABLE piece_addition",
            "DROP TABLE race_document", "DROP TABLE piece_link", "DROP TABLE athlete_merge",
            "DROP INDEX session_gateway",
            "ALTER TABLE session DROP COLUMN merged_athlete_id",
            kind == .sqlite
                ? "PRAGMA user_version = \(SQLiteMigrations.newest - 10)"
                : "UPDATE rowgate_logbook SET version = \(PostgreSQLMigrations.newest - 9)",
        ] {
            try former.database.run(statement, [])
        }
        former.close()
        #expect(
            SQLiteMigrations.all.suffix(10) == [
                SQLiteMigrations.merges, SQLiteMigrations.pieceLinks, SQLiteMigrations.raceDocuments,
                SQLiteMigrations.pieceAdditions, SQLiteMigrations.sessionMetrics,
                SQLiteMigrations.recordDictionaries, SQLiteMigrations.workouts, ClubQuarterMigration.sqlite,
                SQLiteMigrations.sessionPlaces, SQLiteMigrations.uploads,
            ],
            "undo later migrations above too")
        #expect(throws: StoreFailure.self) { try place.open(.readOnly) }
        let store = try place.open(.recording)
        #expect(try athletes(in: store) == ["anna", "ben", "carl"] && store.merges.all() == [])
        try merge("ben", into: "anna", in: store)
        #expect(try athletes(in: store) == ["anna", "anna", "carl"])
        #expect(try place.open(.readOnly).merges.all().count == 1)
    }
}
