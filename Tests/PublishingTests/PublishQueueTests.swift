import TestSupport
import Testing

@testable import Contract
@testable import MQTTClient
@testable import Publishing
@testable import Timeline

/// Which records may be sent, which are settled, and which are sent again.
@Suite struct PublishQueueTests {
    private static let one = StationID("seat-1")!
    private static let two = StationID("seat-2")!
    private let start = BootInstant(nanoseconds: 0)

    /// A log of one record per entry, cursors 10, 20, 30, ...; sequences count per station.
    private static func log(_ stations: [StationID]) -> [OutgoingRecord] {
        var counts: [StationID: UInt64] = [:]
        return stations.enumerated().map { index, station in
            counts[station, default: 0] += 1
            return OutgoingRecord(
                cursor: UInt64(index + 1) * 10, station: station, kind: .stroke,
                sequence: counts[station]!, payload: [])
        }
    }

    private func read(_ queue: inout PublishQueue, _ log: [OutgoingRecord], limit: Int = .max) {
        guard queue.wantsRecords else { return }
        let position = queue.readPosition
        let records = log.filter { record in position.map { $0 < record.cursor } ?? true }
        let batch = Array(records.prefix(limit))
        queue.supply(RecordBatch(records: batch, through: batch.last?.cursor), after: position)
    }

    /// Returns all records that may be sent at `now`.
    private func drain(
        _ queue: inout PublishQueue, at now: BootInstant
    ) -> [PublishQueue.Transmission] {
        var sent: [PublishQueue.Transmission] = []
        while let next = queue.next(at: now) { sent.append(next) }
        return sent
    }

    private func connected(window: Int = 4, holds: Bool = false) -> PublishQueue {
        var queue = PublishQueue(holdsUnsubscribed: holds)
        queue.connected(window: window, nextSequences: [:], at: start)
        return queue
    }

    @Test func movesCursorOverContiguousAcknowledgements() {
        var queue = connected(window: 3)
        let log = Self.log(Array(repeating: Self.one, count: 5))
        read(&queue, log)
        var sent = drain(&queue, at: start)
        #expect(sent.map(\.record.cursor) == [10, 20, 30])
        #expect(!queue.wantsRecords)
        queue.settle(log[2], reason: 0, at: start)
        #expect(queue.acknowledged == 9)
        queue.settle(log[0], reason: 0, at: start)
        #expect(queue.acknowledged == 19)
        queue.settle(log[1], reason: 0, at: start)
        #expect(queue.acknowledged == 39)
        sent = drain(&queue, at: start)
        #expect(sent.map(\.record.cursor) == [40, 50])
        queue.settle(log[4], reason: 0, at: start)
        queue.settle(log[3], reason: 0, at: start)
        #expect(queue.acknowledged == 50)
        #expect(queue.counts.published == 5)
        queue.settle(log[3], reason: 0, at: start)
        #expect(queue.counts.published == 5, "a second acknowledgement is ignored")
    }

    @Test func resendsUnacknowledgedRecordsAfterReconnect() {
        var queue = connected(window: 4)
        let log = Self.log(Array(repeating: Self.one, count: 6))
        read(&queue, log)
        _ = drain(&queue, at: start)
        queue.settle(log[0], reason: 0, at: start)
        queue.settle(log[2], reason: 0, at: start)
        queue.disconnected()
        #expect(!queue.wantsRecords && queue.next(at: start) == nil)
        queue.connected(window: 4, nextSequences: [:], at: start)
        read(&queue, log)
        #expect(drain(&queue, at: start).map(\.record.cursor) == [20, 40, 50, 60])
    }

    @Test func rejectionHaltsOnlyItsStream() {
        var queue = connected(window: 10)
        let log = Self.log([Self.one, Self.two, Self.one, Self.two, Self.one, Self.two])
        read(&queue, log)
        _ = drain(&queue, at: start)
        queue.settle(log[0], reason: 0x87, at: start)
        queue.settle(log[2], reason: 0, at: start)  // accepted although an earlier one was rejected
        queue.settle(log[4], reason: 0x87, at: start)
        for index in [1, 3, 5] { queue.settle(log[index], reason: 0, at: start) }
        #expect(queue.counts.rejected == 2)
        #expect(queue.acknowledged == 9)

        var now = start
        for delay in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(queue.nextDue == now.advanced(by: .seconds(delay)))
            #expect(queue.next(at: now.advanced(by: .seconds(delay) - .milliseconds(1))) == nil)
            now = now.advanced(by: .seconds(delay))
            #expect(drain(&queue, at: now).map(\.record.cursor) == [10])
            queue.settle(log[0], reason: 0x87, at: now)
        }
        let longer =
            log + [
                OutgoingRecord(
                    cursor: 70, station: Self.one, kind: .stroke, sequence: 4, payload: [])
            ]
        queue.recordsAppended()
        read(&queue, longer)
        #expect(drain(&queue, at: now).isEmpty)

        now = now.advanced(by: .seconds(60))
        #expect(drain(&queue, at: now).map(\.record.cursor) == [10])
        queue.settle(log[0], reason: 0, at: now)
        read(&queue, longer)
        #expect(drain(&queue, at: now).map(\.record.cursor) == [50, 70])
        queue.settle(log[4], reason: 0, at: now)
        queue.settle(longer[6], reason: 0, at: now)
        #expect(queue.acknowledged == 70)
        #expect(queue.nextDue == nil)
    }

    @Test(arguments: [false, true]) func countsOrHoldsRecordsWithoutSubscribers(holds: Bool) {
        var queue = connected(holds: holds)
        let log = Self.log([Self.one])
        read(&queue, log)
        _ = drain(&queue, at: start)
        queue.settle(log[0], reason: PublishReason.noSubscribers, at: start)
        #expect(queue.counts == .init(published: 0, rejected: 0, unsubscribed: 1))
        #expect(queue.acknowledged == (holds ? 9 : 10))
        #expect(queue.nextDue == (holds ? start.advanced(by: .seconds(1)) : nil))
    }

    @Test func marksRecordsBelowTheBirthAsHistorical() {
        var queue = PublishQueue(holdsUnsubscribed: false)
        let log = Self.log([Self.one, Self.one, Self.two])
        let stream = StreamID(station: Self.one, kind: .stroke)
        queue.connected(window: 9, nextSequences: [stream: 2], at: start)
        read(&queue, log)
        #expect(drain(&queue, at: start).map(\.isHistorical) == [true, false, false])
        queue.disconnected()
        queue.connected(window: 9, nextSequences: [stream: 3], at: start)
        read(&queue, log)
        #expect(drain(&queue, at: start).map(\.isHistorical) == [true, true, false])
    }

    @Test func ignoresABatchReadBeforeADisconnect() {
        var queue = connected(window: 1)
        let log = Self.log([Self.one, Self.one, Self.one])
        read(&queue, log, limit: 2)
        _ = drain(&queue, at: start)
        let position = queue.readPosition
        queue.disconnected()
        queue.connected(window: 1, nextSequences: [:], at: start)
        queue.supply(RecordBatch(records: [log[2]], through: 30), after: position)
        #expect(queue.next(at: start) == nil)
        read(&queue, log)
        #expect(queue.next(at: start)?.record.cursor == 10)
    }

    @Test func movesCursorOverUnpublishedEntries() {
        var queue = connected()
        queue.supply(RecordBatch(records: [], through: 500), after: nil)
        #expect(queue.acknowledged == 500)
        #expect(queue.wantsRecords)
        queue.supply(RecordBatch(records: [], through: nil), after: 500)
        #expect(!queue.wantsRecords)
        queue.recordsAppended()
        #expect(queue.wantsRecords)
    }

    /// A broker that rejects records, acknowledges them in any order, and disconnects. No record is lost,
    /// the cursor passes no record that was not accepted, and order and window are preserved.
    @Test(arguments: 0..<60) func randomWalk(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...300, using: &random)
        let log = Self.log(
            (0..<count).map { _ in Bool.random(using: &random) ? Self.one : Self.two })
        let window = Int.random(in: 1...8, using: &random)
        var queue = PublishQueue(holdsUnsubscribed: true)
        queue.connected(window: window, nextSequences: [:], at: start)
        var now = start
        var open: [OutgoingRecord] = []
        var accepted: Set<UInt64> = []
        var refusing = 0
        var lastSent: [StationID: UInt64] = [:]
        var acknowledged: UInt64 = 0
        var steps = 0
        while accepted.count < count || queue.acknowledged != log.last?.cursor {
            steps += 1
            if steps > 200_000 {
                Issue.record("no progress, seed \(seed)")
                return
            }
            now = now.advanced(by: .milliseconds(Int.random(in: 0...200, using: &random)))
            read(&queue, log, limit: Int.random(in: 1...20, using: &random))
            if let next = queue.next(at: now) {
                #expect(!open.contains(next.record), "seed \(seed)")
                #expect(!accepted.contains(next.record.cursor), "seed \(seed)")
                let station = next.record.stream.station!
                // Only a rejection makes a stream go back within a connection.
                if refusing == 0 {
                    #expect(next.record.cursor > lastSent[station] ?? 0, "seed \(seed)")
                }
                lastSent[station] = next.record.cursor
                open.append(next.record)
                #expect(open.count <= window, "seed \(seed)")
            }
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60 where !open.isEmpty:
                let record = open.remove(at: Int.random(in: 0..<open.count, using: &random))
                let refuses = Int.random(in: 0..<10, using: &random) == 0
                if refuses { refusing += 1 } else { accepted.insert(record.cursor) }
                let reason: UInt8 = refuses ? (Bool.random(using: &random) ? 0x87 : 0x10) : 0
                queue.settle(record, reason: reason, at: now)
            case 60..<62:
                open = []
                lastSent = [:]
                queue.disconnected()
                queue.connected(window: window, nextSequences: [:], at: now)
                // Records rejected before are retried at once.
                refusing = queue.nextDue == nil ? 0 : 1
            default: break
            }
            if let cursor = queue.acknowledged {
                #expect(cursor >= acknowledged, "seed \(seed)")
                acknowledged = cursor
                let passed = log.prefix { $0.cursor <= cursor }
                guard passed.allSatisfy({ accepted.contains($0.cursor) }) else {
                    Issue.record("the cursor passed a record that was not accepted, seed \(seed)")
                    return
                }
            }
        }
        #expect(queue.counts.published == UInt64(count), "seed \(seed)")
    }

    @Test func limitsTheRateOfTheBacklog() {
        var queue = PublishQueue(holdsUnsubscribed: false, backlogInterval: .milliseconds(1))
        let stream = StreamID(station: Self.one, kind: .stroke)
        queue.connected(window: 40, nextSequences: [stream: 31], at: start)
        let log = Self.log(Array(repeating: Self.one, count: 35))
        let begin = start.advanced(by: .seconds(1))
        read(&queue, log)
        #expect(drain(&queue, at: begin).count == SendingPace.burst)
        #expect(queue.nextDue == begin.advanced(by: .milliseconds(1)))
        #expect(drain(&queue, at: begin.advanced(by: .milliseconds(5))).count == 5)
        #expect(drain(&queue, at: begin.advanced(by: .milliseconds(14))).count == 9)
        let rest = drain(&queue, at: begin.advanced(by: .milliseconds(20)))
        #expect(
            rest.map(\.isHistorical) == Array(repeating: true, count: 6)
                + Array(repeating: false, count: 5))
        for record in log { queue.settle(record, reason: 0, at: begin) }
        #expect(queue.counts.published == 35 && queue.acknowledged == 350)
    }

    @Test func reconnectBackoff() {
        var backoff = BrokerBackoff()
        let whole = (0..<7).map { _ in backoff.next(chance: 0) }
        #expect(whole == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        #expect(backoff.next(chance: 512) == .milliseconds(22_500))
        backoff.connectionEnded(after: .seconds(29))
        #expect(backoff.next(chance: 0) == .seconds(30))
        backoff.connectionEnded(after: .seconds(30))
        #expect(backoff.next(chance: 0) == .seconds(1))
    }

    @Test func latencyPercentile() {
        var window = LatencyWindow()
        #expect(window.percentile(99) == nil)
        for value in 1...100 { window.add(.milliseconds(value)) }
        #expect(window.percentile(99) == .milliseconds(99))
        #expect(window.percentile(50) == .milliseconds(50))
        for _ in 0..<LatencyWindow.capacity { window.add(.seconds(5)) }
        #expect(window.percentile(1) == .seconds(5))
    }
}
