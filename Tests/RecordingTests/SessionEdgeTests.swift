import Bytes
import Contract
import RingLog
import TestSupport
import Testing
import Timeline

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// What of the end of a session is in the ring after a cut: all of it or nothing.
struct SessionEdgeTests {
    private static let session = SessionID("01HF0000000000000000000000")
    private let erg: StationID
    private let gateway: GatewayID

    init() throws {
        erg = try #require(StationID("erg-1"))
        gateway = try #require(GatewayID("boathouse"))
    }

    private func recorder(
        on device: CrashingBlockDevice, _ runtime: any Runtime
    ) async throws -> Recorder {
        let log = SystemLog(subsystem: "test", threshold: .critical)
        let storage = try RingStorage.open(
            FallbackBlockDevice(path: "memory", fileSystem: .holding(device)),
            geometry: LogGeometry(segmentSize: 16 * 4096, segmentCount: 8), runtime: runtime)
        return Recorder(
            gateway: gateway, stations: [erg],
            settings: RingSettings(
                path: "memory", sizeBytes: 4 << 20, commitInterval: .seconds(3600),
                keepsRaw: false),
            ring: OpenedRing(
                storage, highWater: nil, bootID: runtime.wall().bootID, log: log),
            log: log, runtime: runtime)
    }

    private func edge(_ kind: SessionEdge.Kind, _ now: BootInstant) -> SessionEvent {
        .session(
            SessionEdge(
                kind: kind, session: Self.session, startedAt: now,
                workout: Workout(type: .justRowWithoutSplits, target: .none), at: now))
    }

    private func stroke(_ number: Int, _ now: BootInstant) -> SessionEvent {
        .stroke(
            Stroke(
                session: Self.session, at: now, number: number, elapsed: .seconds(number * 2),
                distance: Meters(Int64(number) * 10)))
    }

    /// A session of `strokes` strokes, with ten more in the report of its end.
    ///
    /// - Returns: the operations of the disk before the end.
    private func row(
        _ strokes: Int, on device: CrashingBlockDevice, _ machine: SteppedRuntime
    ) async throws -> Int {
        let recorder = try await recorder(on: device, machine)
        await recorder.start(outlet: RecorderOutlet(recordsAvailable: {}, retain: { _, _ in }))
        let now = machine.now()
        func news(_ events: [SessionEvent], _ checkpoint: [UInt8]) -> StationNews {
            StationNews(station: erg, at: now, events: events, checkpoint: checkpoint)
        }
        await recorder.record([news([edge(.started, now)], [1])])
        for number in 1...strokes { await recorder.record([news([stroke(number, now)], [1])]) }
        let before = device.operations
        let last = (strokes + 1...strokes + 10).map { stroke($0, now) }
        let summary = Summary(
            revision: 1, session: Self.session,
            workout: Workout(type: .justRowWithoutSplits, target: .none), startedAt: now,
            endedAt: now, at: now, result: .seconds(1), distance: Meters(1), strokes: 1, splits: 0,
            isComplete: false)
        await recorder.record([news(last + [edge(.ended, now), .summary(summary)], [2])])
        return before
    }

    /// Everything that is in the ring, and the checkpoint that the next process goes on from.
    private func read(
        _ device: CrashingBlockDevice, _ machine: SteppedRuntime
    ) async throws -> Found {
        let recorder = try await recorder(on: device, machine)
        let state = await recorder.numbering.state.streams[erg]
        await recorder.start(outlet: RecorderOutlet(recordsAvailable: {}, retain: { _, _ in }))
        await machine.sleep(for: .seconds(2))
        _ = await recorder.records(after: nil, limit: 5000)
        let records = await recorder.records(after: nil, limit: 5000).records
        let manifest = records.first { $0.stream.kind == .manifest }
        return Found(
            counts: Dictionary(grouping: records, by: \.stream.kind).mapValues(\.count),
            checkpoint: state?.checkpoint, isOpen: state?.open != nil,
            promised: await recorder.numbering.state.promised.count,
            claimed: try manifest.flatMap {
                try JSONObject(parsing: $0.payload)?.number("stroke_count").map(Int.init)
            })
    }

    private struct Found {
        var counts: [StreamKind: Int]
        var checkpoint: [UInt8]?
        var isOpen: Bool
        var promised: Int
        /// The strokes that the manifest counts.
        var claimed: Int?

        /// What is neither the whole of a session of `strokes` strokes, and ten with its end, nor one that
        /// has not ended.
        func problems(_ strokes: Int, _ loss: CrashingBlockDevice.Loss) -> [String] {
            let edges = [.session, .summary, .manifest].map { kind in counts[kind, default: 0] }
            let rowed = counts[.stroke, default: 0]
            var problems: [String] = []
            if promised > 0 { problems.append("\(promised) entries are still to come") }
            if isOpen != (checkpoint == [1]) { problems.append("\(isOpen), unlike its checkpoint") }
            if checkpoint != [2] {
                if edges[1...] != [0, 0] || loss == .nothing && edges[0] != 1 {
                    problems.append("not ended, and \(edges)")
                }
                if loss == .nothing, rowed != strokes { problems.append("\(rowed) strokes") }
            } else {
                if edges != [2, 1, 1] { problems.append("ended, and \(edges)") }
                if claimed != rowed { problems.append("\(claimed ?? 0) claimed of \(rowed)") }
                // A medium that keeps a later sector without an earlier one loses some for good.
                let isWhole = rowed == strokes + 10
                if loss != .sectors, !isWhole { problems.append("\(rowed) strokes") }
            }
            return problems
        }
    }

    /// Goal: the report of an end is in the ring as a whole or not at all, its manifest once, wherever a
    /// cut falls and wherever segments begin. Method: sessions of more and more strokes, so that the end
    /// comes to lie across the beginning of a segment; the disk's last operation is each of those of the
    /// end, and what it keeps differs; and once more with a second cut while the rest is being written.
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func wholeOrNotAtAll(loss: CrashingBlockDevice.Loss) async throws {
        let problems = try await SteppedLoop.run(seed: 1) { machine in
            var problems: [String] = []
            for strokes in stride(from: 60, through: 150, by: 3) {
                let whole = CrashingBlockDevice()
                let before = try await row(strokes, on: whole, machine)
                for stop in before + 1...whole.operations + 1 {
                    let found = try await cut(strokes, at: stop, loss, machine)
                    problems += found.problems(strokes, loss)
                        .map { "\(strokes) strokes, stop \(stop - before): \($0)" }
                }
            }
            return problems
        }
        #expect(problems == [])
    }

    /// What is left of a session whose disk has `stop` as its last operation, and every other time of
    /// what the next process makes of it within a few operations.
    private func cut(
        _ strokes: Int, at stop: Int, _ loss: CrashingBlockDevice.Loss, _ machine: SteppedRuntime
    ) async throws -> Found {
        var random = SeededGenerator(seed: UInt64(stop + strokes))
        let device = CrashingBlockDevice()
        device.stopsAt = stop
        _ = try await row(strokes, on: device, machine)
        let again = CrashingBlockDevice(device.content(after: loss, using: &random))
        if stop.isMultiple(of: 2) {
            again.stopsAt = Int.random(in: 1...8, using: &random)
            _ = try? await read(again, machine)
        }
        let left = CrashingBlockDevice(again.content(after: loss, using: &random))
        return try await read(left, machine)
    }
}
