import DeliveryProof
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Counts and numbers of refused records.
@Suite struct RefusalTests {
    private let traffic = Traffic()

    @Test(arguments: StoreUnderTest.allCases)
    func storesRefusalCountsAndNumbers(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        var store = try place.open(.recording)
        let stream = StoredStream(
            gateway: traffic.gateway, epoch: traffic.epoch, stream: Traffic.stream(.stroke))
        for now in [Int64(1000), 2000] {
            var batch = StoreBatch(now: now)
            batch.refusals = [
                RefusalCount(
                    gateway: traffic.gateway, reason: "it has no elapsed_s", times: 2, lastAt: now)
            ]
            var note = StreamNote()
            (note.begin, note.announced) = (1, 9)
            note.refused.insert(3...4)
            note.refused.insert(7)
            batch.notes[stream] = note
            _ = try store.commit(batch)
        }
        store.close()
        store = try place.open(.recording)
        defer { store.close() }
        let account = try #require(try GatewaySummary.all(in: store).first)
        #expect(
            account.refusals == [
                RefusalCount(
                    gateway: traffic.gateway, reason: "it has no elapsed_s", times: 4, lastAt: 2000)
            ])
        #expect((account.refused, account.pending, account.missing) == (3, 6, 9))
        // A valid record with the same number replaces the refusal.
        let sound = try traffic.record(
            .stroke, 3, #""session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","stroke":3"#)
        _ = try store.commit(StoreBatch(records: [sound], now: 3000))
        #expect(try GatewaySummary.all(in: store).first?.refused == 2)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func boundsRefusalReasons(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        defer { store.close() }
        var batch = StoreBatch(now: 1)
        batch.refusals = (0..<80).map {
            RefusalCount(
                gateway: traffic.gateway, reason: "reason \($0)", times: 1, lastAt: 1)
        }
        _ = try store.commit(batch)
        let found = try store.refusals()
        #expect(found.count == RefusalCount.mostReasons + 1)
        #expect(found.reduce(0) { $0 + $1.times } == 80)
    }
}
