import Testing

@testable import Contract
@testable import Publishing
@testable import Timeline

/// When replayed records are sent, and what each replay reports at its end.
@Suite struct ReplayQueueTests {
    private static let stream = StreamID(station: StationID("seat-1")!, kind: .stroke)
    private let start = BootInstant(nanoseconds: 1_000_000_000)

    private func record(_ sequence: UInt64) -> OutgoingRecord {
        OutgoingRecord(
            cursor: sequence * 10, station: Self.stream.station, kind: .stroke, sequence: sequence,
            payload: [])
    }

    private func request(_ sequences: ClosedRange<UInt64>) -> ReplayRequest {
        ReplayRequest(stream: Self.stream, sequences: sequences)
    }

    private func supply(
        _ queue: inout ReplayQueue, _ sequences: [UInt64], last: UInt64 = 100, more: Bool = false
    ) {
        guard let job = queue.wantsRecords else { return }
        let records = sequences.map(record)
        queue.supply(
            ReplayBatch(
                records: records, through: more ? records.last?.cursor : nil, lastSequence: last),
            for: job)
    }

    private func drain(_ queue: inout ReplayQueue, at now: BootInstant) -> [UInt64] {
        var sent: [UInt64] = []
        while let record = queue.next(at: now) { sent.append(record.sequence) }
        return sent
    }

    private func finished(
        _ queue: inout ReplayQueue
    ) throws -> (id: UInt64, outcome: ReplayOutcome) {
        let finished = queue.removeFinished()
        return try #require(finished)
    }

    /// Sends and settles until nothing is left, an answer and a pause at a time.
    private func finish(_ queue: inout ReplayQueue) -> [UInt64] {
        var sent: [UInt64] = []
        for step in 1...200 {
            let now = start.advanced(by: .seconds(step))
            let records = drain(&queue, at: now)
            for sequence in records { queue.settle(record(sequence), reason: 0) }
            sent += records
        }
        return sent
    }

    @Test func sendsARangeOnceAndReportsGaps() throws {
        var queue = ReplayQueue()
        queue.connected(window: 20)
        let id = queue.add(request(1...30))
        supply(&queue, [3, 4, 5], last: 20, more: true)
        #expect(queue.wantsRecords == nil, "records are still waiting")
        #expect(finish(&queue) == [3, 4, 5])
        #expect(queue.removeFinished() == nil)
        supply(&queue, [9, 10, 18], last: 20)
        #expect(finish(&queue) == [9, 10, 18])
        let (settled, outcome) = try finished(&queue)
        #expect(settled == id)
        #expect(outcome.ending == .complete && outcome.published == 6)
        #expect(outcome.gone == [1...2, 6...8, 11...17, 19...20])
        #expect(outcome.lastSequence == 20)
        #expect(queue.removeFinished() == nil)
    }

    @Test func reportsAnEmptyRange() throws {
        var queue = ReplayQueue()
        queue.connected(window: 20)
        _ = queue.add(request(5...9))
        _ = queue.add(request(101...200))
        supply(&queue, [])
        let none = try finished(&queue).outcome
        #expect(none.gone == [5...9])
        supply(&queue, [])
        let outcome = try finished(&queue).outcome
        #expect(outcome.gone.isEmpty && outcome.published == 0 && outcome.lastSequence == 100)
    }

    @Test func limitsWindowAndRate() {
        var queue = ReplayQueue()
        queue.connected(window: 20)
        _ = queue.add(request(1...100))
        supply(&queue, Array(1...100))
        #expect(drain(&queue, at: start) == [1, 2, 3, 4, 5])
        #expect(queue.nextDue == nil, "it waits for an acknowledgement")
        for sequence in 1...5 as ClosedRange<UInt64> {
            queue.settle(record(sequence), reason: 0)
        }
        #expect(drain(&queue, at: start) == [6, 7, 8, 9, 10])
        for sequence in 6...10 as ClosedRange<UInt64> {
            queue.settle(record(sequence), reason: 0)
        }
        #expect(drain(&queue, at: start).isEmpty, "the burst is spent")
        #expect(queue.nextDue.map { start.duration(to: $0) } == ReplayQueue.interval)
        #expect(drain(&queue, at: start.advanced(by: .milliseconds(2))) == [11])
        #expect(drain(&queue, at: start.advanced(by: .milliseconds(6))) == [12, 13])
    }

    @Test func respectsASmallerBrokerWindow() {
        var queue = ReplayQueue()
        queue.connected(window: 1)
        _ = queue.add(request(1...3))
        supply(&queue, [1, 2, 3])
        #expect(drain(&queue, at: start) == [1])
    }

    @Test func resendsUnacknowledgedRecordsAfterReconnect() throws {
        var queue = ReplayQueue()
        queue.connected(window: 20)
        _ = queue.add(request(1...8))
        supply(&queue, Array(1...8))
        #expect(drain(&queue, at: start) == [1, 2, 3, 4, 5])
        queue.settle(record(3), reason: 0)
        queue.disconnected()
        #expect(drain(&queue, at: start).isEmpty)
        #expect(queue.wantsRecords == nil && queue.nextDue == nil)
        queue.connected(window: 20)
        #expect(finish(&queue) == [1, 2, 4, 5, 6, 7, 8])
        let outcome = try finished(&queue).outcome
        #expect(outcome.ending == .complete && outcome.published == 8)
    }

    @Test func endsARejectedReplayAndStartsTheNext() throws {
        var queue = ReplayQueue()
        queue.connected(window: 20)
        _ = queue.add(request(1...50))
        let second = queue.add(request(2...2))
        supply(&queue, Array(1...50))
        _ = drain(&queue, at: start)
        queue.settle(record(1), reason: PublishReason.noSubscribers)
        queue.settle(record(2), reason: 0x87)
        queue.settle(record(3), reason: 0)
        let outcome = try finished(&queue).outcome
        #expect(outcome.ending == .brokerRefused(reason: 0x87))
        #expect(outcome.published == 1 && outcome.unsubscribed == 1)
        #expect(queue.wantsRecords?.id == second)
        supply(&queue, [2])
        #expect(finish(&queue) == [2])
        #expect(queue.removeFinished()?.id == second)
    }

    @Test func reportsAnUnreadableLog() throws {
        var queue = ReplayQueue()
        queue.connected(window: 20)
        _ = queue.add(request(1...50))
        var batch = ReplayBatch(records: [], through: nil, lastSequence: 50)
        batch.isUnreadable = true
        queue.supply(batch, for: try #require(queue.wantsRecords))
        let outcome = try finished(&queue).outcome
        #expect(outcome.ending == .unreadable && outcome.gone.isEmpty)
    }

    @Test func boundsTheQueueAndStopsAllReplays() throws {
        var queue = ReplayQueue()
        queue.connected(window: 20)
        let ids = (1...ReplayQueue.capacity).compactMap { _ in queue.add(request(1...9)) }
        #expect(ids.count == ReplayQueue.capacity)
        #expect(queue.add(request(1...9)) == nil)
        let job = try #require(queue.wantsRecords)
        supply(&queue, [1, 2, 3], more: true)
        for sequence in [1, 2, 3] as [UInt64] {
            _ = queue.next(at: start)
            queue.settle(record(sequence), reason: 0)
        }
        let stopped = queue.stop()
        #expect(stopped.map(\.id) == ids)
        #expect(stopped.allSatisfy { $0.outcome.ending == .stopped })
        #expect(stopped.map(\.outcome.published) == [3] + Array(repeating: 0, count: 15))
        queue.supply(ReplayBatch(records: [record(4)], through: nil, lastSequence: 9), for: job)
        #expect(drain(&queue, at: start.advanced(by: .seconds(1))).isEmpty)
        #expect(queue.removeFinished() == nil)
    }
}
