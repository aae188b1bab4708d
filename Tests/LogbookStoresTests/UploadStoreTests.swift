import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Uploads to other services and the accounts there, on each kind of store.
@Suite struct UploadStoreTests {
    private static let session = SessionName(
        gateway: GatewayID("boathouse")!, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")

    private func upload(
        _ destination: String = "concept2", of athlete: String = "anna", at now: Int64 = 5
    ) -> StoredUpload { StoredUpload(Self.session, of: athlete, to: destination, at: now) }

    @Test(arguments: StoreUnderTest.allCases)
    func storesUploadsUntilTheyAreRemoved(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let recorder = try place.open(.recording)
        let (editor, reader) = (try place.open(.editing), try place.open(.readOnly))
        var (first, second) = (upload(), upload("strava"))
        try editor.uploads.add(second)
        try editor.uploads.add(first)
        (first.state, first.attempts, first.nextAt) = (.uploaded, 2, 9)
        (first.remoteID, first.changedAt) = ("4711", 9)
        try editor.uploads.save(first)
        (second.state, second.reason) = (.refused, "the file has no distance")
        try editor.uploads.save(second)
        // The upload is known already.
        try editor.uploads.add(upload(at: 77))
        #expect(try reader.uploads.all() == [first, second])
        #expect(try reader.uploads.uploads(of: Self.session) == [first, second])
        let other = SessionName(gateway: GatewayID("shed")!, session: Self.session.session)
        #expect(try reader.uploads.uploads(of: other) == [])
        #expect(throws: StoreFailure.self) { try reader.uploads.add(upload("webhook")) }
        try editor.uploads.remove(first)
        #expect(try reader.uploads.all() == [second])
        for store in [editor, reader] { store.close() }
        #expect(try recorder.uploads.all() == [second])
        recorder.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    func findsUploadsWhoseTimeHasCome(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        let table = store.uploads
        for (athlete, destination, time, state) in [
            ("anna", "concept2", 30, .pending), ("anna", "strava", 10, .sending),
            ("anna", "webhook", 20, .uploaded), ("ben", "strava", 20, .pending),
            ("ben", "webhook", 5, .refused), ("carl", "strava", 31, .pending),
        ] as [(String, String, Int64, StoredUpload.State)] {
            var upload = upload(destination, of: athlete, at: time)
            upload.state = state
            try table.save(upload)
        }
        func due(_ destination: String, at now: Int64, limit: Int = 9) throws -> [String] {
            try table.due(to: destination, at: now, limit: limit).map(\.athlete)
        }
        #expect(try due("strava", at: 30) == ["anna", "ben"] && due("strava", at: 31).count == 3)
        #expect(try due("strava", at: 30, limit: 1) == ["anna"] && due("strava", at: 9) == [])
        #expect(try due("concept2", at: 99) == ["anna"] && due("webhook", at: 99) == [])
        #expect(try table.pendingCounts() == ["concept2": 1, "strava": 3])
        try table.resume(of: "carl", to: "strava", at: 3)
        try table.resume(of: "ben", to: "webhook", at: 3)
        #expect(try due("strava", at: 5) == ["carl"] && due("webhook", at: 99) == [])
        try table.removeUnfinished(of: "anna", to: "strava")
        try table.removeUnfinished(of: "anna", to: "webhook")
        #expect(try due("strava", at: 99) == ["carl", "ben"])
        #expect(try table.all().count == 5, "a finished upload stays")
        store.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesAccounts(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        let table = store.uploadAccounts
        var account = StoredUploadAccount(
            athlete: "anna", destination: "strava", label: "Anna O.", secret: [0, 1, 255], since: 7)
        let others = [
            StoredUploadAccount(athlete: "anna", destination: "webhook", label: "h", secret: [], since: 8),
            StoredUploadAccount(athlete: "ben", destination: "strava", label: "B", secret: [2], since: 9),
        ]
        // It was removed meanwhile.
        try table.update(account)
        #expect(try table.all() == [])
        for account in others + [account] { try table.save(account) }
        #expect(try table.all() == [account] + others && table.all(of: "ben") == [others[1]])
        (account.secret, account.problem) = ([9], "access was revoked")
        try table.update(account)
        #expect(try table.all(of: "anna") == [account, others[0]])
        (account.label, account.since, account.problem) = ("Anna", 50, nil)
        try table.save(account)
        #expect(try table.all(of: "anna") == [account, others[0]])
        try table.savePlansRead(of: "anna", at: "strava", 70)
        #expect(try table.all().map(\.plansReadAt) == [70, nil, nil])
        try table.save(account)
        try table.update(account)
        #expect(try table.all(of: "anna").first?.plansReadAt == 70)
        #expect(try table.remove(of: "anna", at: "strava") && !table.remove(of: "anna", at: "strava"))
        #expect(try table.all() == others)
        store.close()
    }
}
