import Testing

@testable import Contract
@testable import Publishing
@testable import Timeline

/// The replay lane, stepped: what goes when, and what is said at the end.
@Suite struct ReplayLaneTests {
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
        _ lane: inout ReplayLane, _ sequences: [UInt64], last: UInt64 = 100, more: Bool = false
    ) {
        guard let job = lane.wantsRecords else { return }
        let records = sequences.map(record)
        lane.supply(
            ReplayBatch(
                records: records, through: more ? records.last?.cursor : nil, lastSequence: last),
            for: job)
    }

    private func drain(_ lane: inout ReplayLane, at now: BootInstant) -> [UInt64] {
        var sent: [UInt64] = []
        while let record = lane.next(at: now) { sent.append(record.sequence) }
        return sent
    }

    private func finished(
        _ lane: inout ReplayLane
    ) throws -> (id: UInt64, outcome: ReplayOutcome) {
        let finished = lane.takeFinished()
        return try #require(finished)
    }

    /// Sends and settles until nothing is left, an answer and a pause at a time.
    private func finish(_ lane: inout ReplayLane) -> [UInt64] {
        var sent: [UInt64] = []
        for step in 1...200 {
            let now = start.advanced(by: .seconds(step))
            let records = drain(&lane, at: now)
            for sequence in records { lane.settle(record(sequence), reason: 0) }
            sent += records
        }
        return sent
    }

    @Test func rangeIsSentOnceAndAccountedFor() throws {
        // Goal: what the log has goes out in order, what it lacks is named, what is yet to come is
        // not. Method: holes at the beginning, in the middle and at the end, in two batches.
        var lane = ReplayLane()
        lane.connected(window: 20)
        let id = lane.add(request(1...30))
        supply(&lane, [3, 4, 5], last: 20, more: true)
        #expect(lane.wantsRecords == nil, "the line is not empty")
        #expect(finish(&lane) == [3, 4, 5])
        #expect(lane.takeFinished() == nil)
        supply(&lane, [9, 10, 18], last: 20)
        #expect(finish(&lane) == [9, 10, 18])
        let (settled, outcome) = try finished(&lane)
        #expect(settled == id)
        #expect(outcome.ending == .complete && outcome.published == 6)
        #expect(outcome.gone == [1...2, 6...8, 11...17, 19...20])
        #expect(outcome.lastSequence == 20)
        #expect(lane.takeFinished() == nil)
    }

    @Test func nothingThere() throws {
        // Goal: an empty answer is an answer. Method: a log that holds none of it, and numbers that
        // nobody gave out.
        var lane = ReplayLane()
        lane.connected(window: 20)
        _ = lane.add(request(5...9))
        _ = lane.add(request(101...200))
        supply(&lane, [])
        let none = try finished(&lane).outcome
        #expect(none.gone == [5...9])
        supply(&lane, [])
        let outcome = try finished(&lane).outcome
        #expect(outcome.gone.isEmpty && outcome.published == 0 && outcome.lastSequence == 100)
    }

    @Test func windowAndPace() {
        // Goal: few answers are owed, and a long replay leaves room. Method: count what goes in one
        // instant, then after known pauses, every record answered at once.
        var lane = ReplayLane()
        lane.connected(window: 20)
        _ = lane.add(request(1...100))
        supply(&lane, Array(1...100))
        #expect(drain(&lane, at: start) == [1, 2, 3, 4, 5])
        #expect(lane.nextDue == nil, "it waits for an answer")
        for sequence in 1...5 as ClosedRange<UInt64> {
            lane.settle(record(sequence), reason: 0)
        }
        #expect(drain(&lane, at: start) == [6, 7, 8, 9, 10])
        for sequence in 6...10 as ClosedRange<UInt64> {
            lane.settle(record(sequence), reason: 0)
        }
        #expect(drain(&lane, at: start).isEmpty, "the burst is spent")
        #expect(lane.nextDue.map { start.duration(to: $0) } == ReplayLane.interval)
        #expect(drain(&lane, at: start.advanced(by: .milliseconds(2))) == [11])
        #expect(drain(&lane, at: start.advanced(by: .milliseconds(6))) == [12, 13])
    }

    @Test func smallBrokers() {
        // Goal: a broker that owes one answer at most is asked for one. Method: its window.
        var lane = ReplayLane()
        lane.connected(window: 1)
        _ = lane.add(request(1...3))
        supply(&lane, [1, 2, 3])
        #expect(drain(&lane, at: start) == [1])
    }

    @Test func brokenConnection() throws {
        // Goal: a replay outlives a connection, and sends again only what was not answered. Method:
        // break it with one of five answered.
        var lane = ReplayLane()
        lane.connected(window: 20)
        _ = lane.add(request(1...8))
        supply(&lane, Array(1...8))
        #expect(drain(&lane, at: start) == [1, 2, 3, 4, 5])
        lane.settle(record(3), reason: 0)
        lane.disconnected()
        #expect(drain(&lane, at: start).isEmpty)
        #expect(lane.wantsRecords == nil && lane.nextDue == nil)
        lane.connected(window: 20)
        #expect(finish(&lane) == [1, 2, 4, 5, 6, 7, 8])
        let outcome = try finished(&lane).outcome
        #expect(outcome.ending == .complete && outcome.published == 8)
    }

    @Test func refusal() throws {
        // Goal: a refused replay ends and says why, and the next begins. Method: the access list's
        // reason in the middle, with answers that come after it.
        var lane = ReplayLane()
        lane.connected(window: 20)
        _ = lane.add(request(1...50))
        let second = lane.add(request(2...2))
        supply(&lane, Array(1...50))
        _ = drain(&lane, at: start)
        lane.settle(record(1), reason: PublishReason.noSubscribers)
        lane.settle(record(2), reason: 0x87)
        lane.settle(record(3), reason: 0)
        let outcome = try finished(&lane).outcome
        #expect(outcome.ending == .brokerRefused(reason: 0x87))
        #expect(outcome.published == 1 && outcome.unsubscribed == 1)
        #expect(lane.wantsRecords?.id == second)
        supply(&lane, [2])
        #expect(finish(&lane) == [2])
        #expect(lane.takeFinished()?.id == second)
    }

    @Test func unreadableLog() throws {
        // Goal: a log that cannot be read is no log that holds nothing.
        var lane = ReplayLane()
        lane.connected(window: 20)
        _ = lane.add(request(1...50))
        var batch = ReplayBatch(records: [], through: nil, lastSequence: 50)
        batch.isUnreadable = true
        lane.supply(batch, for: try #require(lane.wantsRecords))
        let outcome = try finished(&lane).outcome
        #expect(outcome.ending == .unreadable && outcome.gone.isEmpty)
    }

    @Test func limitAndStop() throws {
        // Goal: the line is bounded, and a stop leaves nobody waiting. Method: one too many, then
        // stop in the middle of the first; what the log brings for it afterwards is ignored.
        var lane = ReplayLane()
        lane.connected(window: 20)
        let ids = (1...ReplayLane.capacity).compactMap { _ in lane.add(request(1...9)) }
        #expect(ids.count == ReplayLane.capacity)
        #expect(lane.add(request(1...9)) == nil)
        let job = try #require(lane.wantsRecords)
        supply(&lane, [1, 2, 3], more: true)
        for sequence in [1, 2, 3] as [UInt64] {
            _ = lane.next(at: start)
            lane.settle(record(sequence), reason: 0)
        }
        let stopped = lane.stop()
        #expect(stopped.map(\.id) == ids)
        #expect(stopped.allSatisfy { $0.outcome.ending == .stopped })
        #expect(stopped.map(\.outcome.published) == [3] + Array(repeating: 0, count: 15))
        lane.supply(ReplayBatch(records: [record(4)], through: nil, lastSequence: 9), for: job)
        #expect(drain(&lane, at: start.advanced(by: .seconds(1))).isEmpty)
        #expect(lane.takeFinished() == nil)
    }
}
