import Bytes
import Contract
import RingLog
import TestSupport
import Testing
import Timeline

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// After a power cut, the ring has the complete end of a session or nothing of it.
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

    private func edge(_ kind: SessionTransition.Kind, _ now: BootInstant) -> SessionEvent {
        .session(
            SessionTransition(
                kind: kind, session: Self.session, startedAt: now,
                workout: Workout(type: .justRowWithoutSplits, target: .none), at: now))
    }

    private func stroke(_ number: Int, _ now: BootInstant) -> SessionEvent {
        .stroke(
            Stroke(
                session: Self.session, at: now, number: number, elapsed: .seconds(number * 2),
                distance: Meters(Int64(number) * 10)))
    }

    /// Records a session of `strokes` strokes, and ten more in the update of its end.
    ///
    /// - Returns: the disk's number of operations before the end.
    private func row(
        _ strokes: Int, on device: CrashingBlockDevice, _ machine: SteppedRuntime
    ) async throws -> Int {
        let recorder = try await recorder(on: device, machine)
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        let now = machine.now()
        func update(_ events: [SessionEvent], _ checkpoint: [UInt8]) -> StationUpdate {
            StationUpdate(station: erg, at: now, events: events, checkpoint: checkpoint)
        }
        await recorder.record([update([edge(.started, now)], [1])])
        for number in 1...strokes { await recorder.record([update([stroke(number, now)], [1])]) }
        let before = device.operations
        let last = (strokes + 1...strokes + 10).map { stroke($0, now) }
        let summary = Summary(
            revision: 1, session: Self.session,
            workout: Workout(type: .justRowWithoutSplits, target: .none), startedAt: now,
            endedAt: now, at: now, result: .seconds(1), distance: Meters(1), strokes: 1, splits: 0,
            isComplete: false)
        await recorder.record([update(last + [edge(.ended, now), .summary(summary)], [2])])
        return before
    }

    /// Starts another process on the ring. Returns its records, and the checkpoint that it found.
    private func read(
        _ device: CrashingBlockDevice, _ machine: SteppedRuntime
    ) async throws -> Found {
        let recorder = try await recorder(on: device, machine)
        let state = await recorder.state.stationStates[erg]
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await machine.sleep(for: .seconds(2))
        _ = await recorder.records(after: nil, limit: 5000)
        let records = await recorder.records(after: nil, limit: 5000).records
        let manifest = records.first { $0.stream.kind == .manifest }
        return Found(
            counts: Dictionary(grouping: records, by: \.stream.kind).mapValues(\.count),
            checkpoint: state?.checkpoint, isOpen: state?.open != nil,
            pendingEntries: await recorder.state.pendingEntries.count,
            claimed: try manifest.flatMap {
                try JSONObject(parsing: $0.payload)?.number("stroke_count").map(Int.init)
            })
    }

    private struct Found {
        var counts: [StreamKind: Int]
        var checkpoint: [UInt8]?
        var isOpen: Bool
        var pendingEntries: Int
        /// The strokes that the manifest counts.
        var claimed: Int?

        /// Returns what differs from a complete session of `strokes` strokes plus ten with its end, and from
        /// a session without an end.
        func problems(_ strokes: Int, _ loss: CrashingBlockDevice.Loss) -> [String] {
            let edges = [.session, .summary, .manifest].map { kind in counts[kind, default: 0] }
            let strokeCount = counts[.stroke, default: 0]
            var problems: [String] = []
            if pendingEntries > 0 { problems.append("\(pendingEntries) entries are pending") }
            if isOpen != (checkpoint == [1]) { problems.append("\(isOpen), unlike its checkpoint") }
            if checkpoint != [2] {
                if edges[1...] != [0, 0] || loss == .nothing && edges[0] != 1 {
                    problems.append("not ended, and \(edges)")
                }
                if loss == .nothing, strokeCount != strokes { problems.append("\(strokeCount) strokes") }
            } else {
                if edges != [2, 1, 1] { problems.append("ended, and \(edges)") }
                if claimed != strokeCount { problems.append("\(claimed ?? 0) claimed of \(strokeCount)") }
                // A medium that keeps a later sector without an earlier one can lose some strokes.
                let isWhole = strokeCount == strokes + 10
                if loss != .sectors, !isWhole { problems.append("\(strokeCount) strokes") }
            }
            return problems
        }
    }

    /// The number of strokes moves the end across the start of a segment. The disk's last operation is
    /// each of those of the end. Every second time, a second cut follows during recovery.
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func writesTheEndOfASessionAtomically(loss: CrashingBlockDevice.Loss) async throws {
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

    /// Cuts the power after operation `stop`, and every second time again during recovery. Returns what the
    /// next process finds.
    private func cut(
        _ strokes: Int, at stop: Int, _ loss: CrashingBlockDevice.Loss, _ machine: SteppedRuntime
    ) async throws -> Found {
        var random = SeededGenerator(seed: UInt64(stop + strokes))
        let device = CrashingBlockDevice()
        device.stopsAt = stop
        _ = try await row(strokes, on: device, machine)
        let recovering = CrashingBlockDevice(device.content(after: loss, using: &random))
        if stop.isMultiple(of: 2) {
            recovering.stopsAt = Int.random(in: 1...8, using: &random)
            _ = try? await read(recovering, machine)
        }
        let left = CrashingBlockDevice(recovering.content(after: loss, using: &random))
        return try await read(left, machine)
    }
}
