import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Notices of the logbook, in each store.
@Suite struct NoticeStoreTests {
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private let epoch = "01J0EP0CH000000000000000AA"

    private func notice(_ subject: String, athlete: String = "anna") throws -> Notice {
        Notice(
            .best, subject: subject, athlete: athlete,
            session: SessionName(
                gateway: try #require(GatewayID("boathouse")), session: Self.session),
            members: Array(#"{"subject":"\#(subject)"}"#.utf8))
    }

    private func batch(_ change: (inout NoticeChanges) throws -> Void) rethrows -> StoreBatch {
        var batch = StoreBatch(now: 5000)
        batch.notices.epoch = epoch
        try change(&batch.notices)
        return batch
    }

    @Test(arguments: StoreUnderTest.allCases)
    func numbersEachNoticeOnce(_ kind: StoreUnderTest) async throws {
        // One subject is repeated within a batch and after a restart.
        let place = try await kind.place()
        let store = try place.open(.recording)
        #expect(try store.noticeNumbers() == nil)
        let first = try batch { $0.added = [try notice("a"), try notice("b"), try notice("a")] }
        #expect(!first.isEmpty)
        _ = try store.commit(first)
        store.close()
        let reopened = try place.open(.recording)
        _ = try reopened.commit(
            try batch {
                $0.epoch = "another"
                $0.added = [try notice("b"), try notice("c")]
                $0.published = 2
            })
        for store in [reopened, try place.open(.readOnly)] {
            let numbers = NoticeNumbers(epoch: epoch, since: 5000, last: 3, published: 2)
            #expect(try store.noticeNumbers() == numbers)
            let all = try store.notices(after: 0, limit: 10)
            #expect(all.map(\.sequence) == [1, 2, 3])
            #expect(all.map(\.subject) == ["a", "b", "c"])
            #expect(all.map(\.madeAt) == [5000, 5000, 5000])
            #expect(try store.notices(after: 1, limit: 1).map(\.sequence) == [2])
            #expect(try store.notices(of: .best, about: "anna") == all)
            #expect(try store.notices(of: .best, about: "ben") == [])
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func deletesTheContentOfAWithdrawnNotice(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        _ = try store.commit(try batch { $0.added = [try notice("a"), try notice("b")] })
        _ = try store.commit(batch { $0.withdrawn = [1, 1, 77] })
        let all = try store.notices(after: 0, limit: 10)
        #expect(all.map(\.withdraws) == [nil, nil, 1])
        #expect(all[0].members == [] && all[0].subject == nil)
        #expect(String(decoding: all[2].members, as: UTF8.self) == #"{"withdraws_seq":1}"#)
        #expect(try store.notices(of: .best, about: "anna").map(\.subject) == ["b"])
        _ = try store.commit(try batch { $0.added = [try notice("a")] })
        #expect(try store.notices(of: .best, about: "anna").map(\.sequence) == [2, 4])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func findsNoticesWithoutASession(_ kind: StoreUnderTest) async throws {
        var traffic = Traffic()
        let store = try await kind.place().open(.recording)
        let messages = traffic.session(Self.session, strokes: 1).map {
            $0.replacing(#""started_ms""#, by: #""athlete_id":"anna","started_ms""#)
        }
        var all = try StoreBatch(messages)
        all.notices.epoch = epoch
        var strange = try notice("c", athlete: "carl")
        strange.session?.session = "01J7ZK3Q5XQ4W8G9T2V6B0C1ZZ"
        all.notices.added = [try notice("a"), try notice("b", athlete: "ben"), strange]
        _ = try store.commit(all)
        #expect(try store.athletesOfStrayNotices() == ["ben", "carl"])
        _ = try store.commit(batch { $0.withdrawn = [2, 3] })
        #expect(try store.athletesOfStrayNotices() == [])
    }

    @Test func deletesTheOldestNotices() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder.path("logbook.db"), for: .recording)
        #expect(store.noticeTable.limit == 100_000)
        store.noticeTable.limit = 50
        let many = try (0..<55).map { try notice("\($0)") }
        _ = try store.commit(batch { $0.added = many })
        #expect(try store.notices(after: 0, limit: 1).map(\.sequence) == [6])
        #expect(try store.noticeNumbers()?.last == 55)
    }
}
