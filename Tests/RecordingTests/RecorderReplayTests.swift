import Contract
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// Reads of a range of stored records for a replay.
struct RecorderReplayTests {
    private let folder: TemporaryFolder
    private let ergs: [StationID]

    init() throws {
        folder = try TemporaryFolder()
        ergs = ["erg-1", "erg-2"].compactMap(StationID.init)
    }

    private func recorder() throws -> Recorder {
        let settings = RingSettings(
            path: folder.path("ring.log"), sizeBytes: 4 << 20, commitInterval: .seconds(3600),
            keepsRaw: true)
        return try Recorder(
            gateway: #require(GatewayID("boathouse")), stations: ergs, settings: settings,
            log: SystemLog(subsystem: "test", threshold: .error), runtime: SystemRuntime())
    }

    /// Strokes of both ergs, each after a raw value of 200 bytes.
    private func update(_ numbers: ClosedRange<Int>) -> [StationUpdate] {
        numbers.flatMap { number in
            ergs.map { erg in
                var update = StationUpdate(
                    station: erg, at: SystemRuntime().now(),
                    events: [
                        .stroke(
                            Stroke(
                                session: SessionID("01HF0000000000000000000000"),
                                at: SystemRuntime().now(), number: number,
                                elapsed: .seconds(number * 2),
                                distance: Meters(Int64(number) * 10)))
                    ], checkpoint: [])
                Array(repeating: UInt8(truncatingIfNeeded: number), count: 200).withUnsafeBytes {
                    update.raw.append($0, of: .generalStatus, station: erg, at: SystemRuntime().now())
                }
                return update
            }
        }
    }

    private func request(_ sequences: ClosedRange<UInt64>, of erg: Int = 0) -> ReplayRequest {
        ReplayRequest(stream: StreamID(station: ergs[erg], kind: .stroke), sequences: sequences)
    }

    /// Reads the stored records of a range in batches.
    private func everything(
        _ request: ReplayRequest, of recorder: Recorder, limit: Int = 100
    ) async -> (records: [OutgoingRecord], calls: Int) {
        var records: [OutgoingRecord] = []
        var cursor: UInt64?
        for calls in 1...10_000 {
            let batch = await recorder.records(of: request, after: cursor, limit: limit)
            #expect(batch.records.count <= limit && !batch.isUnreadable)
            records += batch.records
            guard let through = batch.through else { return (records, calls) }
            cursor = through
        }
        Issue.record("the range has no end")
        return (records, 0)
    }

    /// Strokes of two ergs over several segments, in small batches, with two ranges read alternately.
    @Test func returnsRangesAsPublished() async throws {
        let recorder = try recorder()
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await recorder.record(update(1...1_000))
        let published = await recorder.records(after: nil, limit: .max).records
            .filter { $0.stream == request(1...1).stream }
        #expect(published.count == 1_000)
        for range in [1...1, 1...1_000, 333...666, 999...1_000, 1_000...1_000] {
            let sequences = UInt64(range.lowerBound)...UInt64(range.upperBound)
            let (records, _) = await everything(request(sequences), of: recorder, limit: 70)
            #expect(records == Array(published[range.lowerBound - 1..<range.upperBound]))
        }
        let other = await recorder.records(of: request(1...1_000, of: 1), after: nil, limit: 10)
        let own = await recorder.records(of: request(500...510), after: nil, limit: 5)
        let rest = await recorder.records(
            of: request(1...1_000, of: 1), after: other.through, limit: 10)
        #expect((other.records + rest.records).map(\.sequence) == Array(1...20))
        #expect(own.records.map(\.sequence) == Array(500...504))
        await recorder.stop()
    }

    @Test func distinguishesFutureFromMissingNumbers() async throws {
        let recorder = try recorder()
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await recorder.record(update(1...20))
        let batch = await recorder.records(of: request(15...90), after: nil, limit: 100)
        #expect(batch.records.map(\.sequence) == Array(15...20))
        #expect(batch.through == nil && batch.lastSequence == 20)
        let beyond = await recorder.records(of: request(21...90), after: nil, limit: 100)
        #expect(beyond == ReplayBatch(records: [], through: nil, lastSequence: 20))
        let empty = StreamID(station: ergs[0], kind: .split)
        #expect(
            await recorder.records(
                of: ReplayRequest(stream: empty, sequences: 1...9), after: nil, limit: 100)
                == ReplayBatch(records: [], through: nil, lastSequence: 0))
        await recorder.stop()
    }

    /// Twice as many records as the ring holds.
    @Test func findsARangeWithoutReadingTheWholeRing() async throws {
        let recorder = try recorder()
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        for batch in 0..<12 {
            await recorder.record(update(batch * 500 + 1...batch * 500 + 500))
            // Keeps the numbers within the limit ahead of the medium.
            await recorder.durable()
        }
        let (held, _) = await everything(request(1...6_000), of: recorder)
        let oldest = try #require(held.first?.sequence)
        #expect(oldest > 100)
        #expect(held.map(\.sequence) == Array(oldest...6_000))
        let (newest, calls) = await everything(request(5_990...6_000), of: recorder)
        #expect(newest.map(\.sequence) == Array(5_990...6_000))
        #expect(calls <= 3, "from the segment that holds them")
        #expect(await everything(request(1...50), of: recorder).records.isEmpty)
        await recorder.stop()
    }
}
