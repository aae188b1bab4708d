import Contract
import DeliveryProof
import TestSupport
import Testing
import Timeline

@testable import Logbook
@testable import LogbookStores

@Suite struct IngestQueueTests {
    private var queue = IngestQueue(RecordGapTracker(), token: "test")
    private var traffic = Traffic()

    private func at(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    private mutating func receive(_ messages: [Traffic.Message], _ milliseconds: Int) {
        for message in messages {
            _ = queue.handle(message.topic, message.payload, at: at(milliseconds))
        }
    }

    private mutating func batch(_ milliseconds: Int) -> Int? {
        queue.nextBatch(at: at(milliseconds), unixMilliseconds: 0)?.records.count
    }

    @Test mutating func batchIsDueWhenFullOrOneSecondOld() {
        #expect(batch(0) == nil)
        receive([traffic.event()], 0)
        #expect(batch(999) == nil)
        #expect(batch(1000) == 1)
        receive((0..<499).map { _ in traffic.event() }, 1000)
        #expect(batch(1500) == nil)
        queue.stored(at: at(1500))
        #expect(batch(1500) == nil)
        receive([traffic.event()], 1600)
        #expect(batch(1600) == 500)
    }

    @Test mutating func strokesWaitLongerThanTheEndOfTheirSession() {
        // A start, three strokes with a force curve each, an end and a manifest.
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        receive(Array(session[..<1]), 0)
        #expect(batch(1000) == 1)
        queue.stored(at: at(1000))
        receive(Array(session[1..<3]), 1000)
        receive(Array(session[3..<5]), 3000)
        #expect(batch(5999) == nil)
        #expect(batch(6000) == 4)
        queue.stored(at: at(6000))
        receive(Array(session[5..<7]), 6000)
        receive(Array(session[7...]), 7000)
        #expect(batch(7999) == nil)
        #expect(batch(8000) == session.count - 5)
        queue.stored(at: at(8000))
        // Nothing waits any more.
        #expect(batch(60_000) == nil)
    }

    @Test mutating func retriesAFailedBatchUnchanged() {
        receive([traffic.event()], 0)
        #expect(batch(1000) == 1)
        queue.notStored(at: at(1000))
        receive([traffic.event(), traffic.event()], 1000)
        #expect(batch(1999) == nil)
        #expect(batch(2000) == 1)
        queue.notStored(at: at(2000))
        #expect(batch(3999) == nil)
        #expect(batch(4000) == 1)
        queue.stored(at: at(4000))
        #expect(batch(4000) == 2)
        #expect(queue.waitingCount == 2)
    }

    @Test mutating func droppedRecordsStayGaps() throws {
        // Records of 16 KB each fill the queue.
        var refused = 0
        for _ in 0..<1200 {
            let message = bulky()
            if case .queueFull? = queue.handle(message.topic, message.payload, at: at(0)) { refused += 1 }
        }
        #expect(refused == 1)
        let count = try #require(queue.refused[.queueFull])
        #expect(count > 80 && count < 200)
        let birth = traffic.birth()
        receive([birth], 0)
        let gaps = queue.gapTracker.gaps(of: traffic.gateway)
        #expect(gaps.map(\.sequences) == [1201 - count...1200])
        #expect(queue.requests(at: at(60_000)) == [])
    }

    @Test mutating func refusalNamesWhyTheStoreFails() throws {
        receive([traffic.event()], 0)
        #expect(batch(1000) == 1)
        queue.notStored(at: at(1000), .readOnly)
        for _ in 0..<1200 { receive([bulky()], 1000) }
        let count = try #require(queue.refused[.storeFailed(.readOnly)])
        #expect(count > 80 && queue.refused.count == 1)
        #expect(IngestQueue.Refusal.storeFailed(.readOnly).reason == "read_only")
        #expect(batch(2000) == 1)
        queue.stored(at: at(2000))
        receive([bulky()], 2000)
        #expect(queue.refused[.queueFull] == 1)
    }

    /// An event of more than 16 KB.
    private mutating func bulky() -> Traffic.Message {
        var message = traffic.event()
        let text = String(decoding: message.payload, as: UTF8.self)
        let filling = String(repeating: "x", count: 16_000)
        message.payload = Array(
            text.replacing(#""event":"#, with: #""filling":"\#(filling)","event":"#).utf8)
        return message
    }

    @Test mutating func slowStoreCausesBackPressure() {
        // Back pressure ends when the store hangs or fails.
        receive([traffic.event()], 0)
        #expect(batch(1000) == 1)
        queue.stored(at: at(1000))
        receive((0..<1000).map { _ in bulky() }, 1000)
        #expect(!queue.needsBackPressure(at: at(1000)))
        receive((0..<100).map { _ in bulky() }, 1000)
        #expect(queue.refused[.queueFull] != nil)
        #expect(queue.needsBackPressure(at: at(1000)))
        #expect(queue.needsBackPressure(at: at(2999)))
        #expect(!queue.needsBackPressure(at: at(3000)))
        #expect(batch(3000) != nil)
        queue.notStored(at: at(3000))
        #expect(!queue.needsBackPressure(at: at(2500)))
        #expect(batch(5000) != nil)
        queue.stored(at: at(5000))
        #expect(!queue.needsBackPressure(at: at(5000)))
    }

    @Test mutating func limitsTheNumberOfStreams() {
        // Marks with invented epochs.
        func stream(_ number: Int) -> StoredStream {
            let digits = String(number)
            return StoredStream(
                gateway: traffic.gateway,
                epoch: String(repeating: "0", count: 26 - digits.count) + digits,
                stream: Traffic.stream(.stroke))
        }
        let most = RecordGapTracker.maximumStreams
        for number in 0..<most + 1000 {
            traffic.epoch = stream(number).epoch
            receive([traffic.marks([.stroke: 5])], 0)
        }
        let hasRoom = [0, most - 1, most, most + 999].map {
            queue.gapTracker.hasRoom(for: stream($0))
        }
        #expect(hasRoom == [true, true, false, false])
    }

    // MARK: Sharing a store

    private static let others = GatewayShards.all.numbers.subtracting([
        GatewayShards.shard(of: Traffic().gateway)
    ])

    private func share(_ shards: GatewayShards, acquired: GatewayShards = .none) -> StoreShare {
        StoreShare(shards: shards, acquired: acquired, logbooks: 2)
    }

    @Test mutating func ignoresRecordsOfOtherLogbooksUntilTakeover() {
        queue.apply(share(GatewayShards(Self.others)), [], [])
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        queue.connected()
        let online = Traffic.Message(
            topic: "rowgate/v1/boathouse/availability", payload: Array("online".utf8))
        receive([online], 0)
        receive(session + [traffic.birth()], 0)
        #expect(queue.waitingCount == 0)
        #expect(queue.requests(at: at(0)) + queue.requests(at: at(20_000)) == [])
        queue.apply(share(.all, acquired: .all), [], [])
        #expect(queue.requests(at: at(30_000)) == [])
        #expect(queue.requests(at: at(40_000)).count == 1)
        receive(session, 40_000)
        #expect(queue.waitingCount == session.count)
    }

    @Test mutating func queuedRecordsAreNotGapsAfterTakeover() throws {
        // Some records wait in the queue, and the store has others. Then another logbook takes over.
        let first = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        let second = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3)
        receive(second, 0)
        let stored = try first.map {
            try ValidatedRecord($0.payload, of: $0.stream!, from: traffic.gateway)
        }
        let states = Dictionary(grouping: stored, by: \.stream).map { stream, records in
            var extent = StreamExtent()
            for record in records { extent.receive(record.sequence) }
            return StreamState(
                stream: stream, extent: extent, gone: SequenceSet(), removed: SequenceSet(),
                repeats: 0, conflicts: 0)
        }
        queue.apply(share(.all, acquired: .all), states, [])
        #expect(queue.gapTracker.gaps(of: traffic.gateway) == [])
        queue.apply(share(GatewayShards(Self.others)), [], [])
        #expect(queue.waitingCount == 0)
        #expect(batch(60_000) ?? 0 == 0)
    }
}
