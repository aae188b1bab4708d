import Bytes
import Contract
import DeliveryProof
import HostRuntime
import RingLog
import Rowing
import TestSupport
import Testing
import Timeline

@testable import Gateway
@testable import Recording

/// A gateway that dies between any two writes around the end of a session.
struct SessionEndCutTests {
    /// One erg of a gateway, with a ring that writes at once, so that each write can be the last.
    private final class Life: @unchecked Sendable {  // used only on the loop's thread
        let program: SteppedRuntime
        let recorder: Recorder
        private let pipeline: StationPipeline
        private let ticks: any QueueLoopTimer
        private let note: Note
        /// The ring's number of operations when the end of the session was reported; nil before.
        var endsAt: Int? { note.count }

        init(on machine: SteppedRuntime, _ disk: MemoryDisk, _ erg: SteppedErg) async throws {
            let program = machine.program()
            let recorder = try SessionEndCutTests.recorder(disk, program)
            await recorder.start(callbacks: .init(recordsAvailable: {}, retain: { _, _ in }))
            let before = Note()
            let listener = UpdateListener { update in
                if update.events.contains(where: \.isEnd) { before.count = disk.operations("ring") }
                recorder.later { $0.record([update]) }
                return true
            }
            let station = try #require(StationID("erg-1"))
            let pipeline = StationPipeline(
                station: station, gateway: try #require(GatewayID("boathouse")),
                resuming: recorder.interruptedSessions[station], keepsRaw: true,
                outputs: StationOutputs(
                    listeners: [listener], live: { _, _ in }, retain: { _, _ in }),
                runtime: program, log: SystemLog(subsystem: "test", threshold: .critical))
            ticks = program.makeTimer(on: pipeline.executor) {
                pipeline.assumeIsolated { $0.tick() }
            }
            (self.program, self.recorder, self.pipeline) = (program, recorder, pipeline)
            note = before
            await pipeline.start(interval: .milliseconds(500))
            ticks.schedule(after: .milliseconds(500), every: .milliseconds(500))
            erg.attend(on: program.makeQueue(label: "bus", isPrompt: true)) { pipeline.endpoint }
        }
    }

    private final class Note: @unchecked Sendable { var count: Int? }  // as above

    private static func recorder(
        _ disk: MemoryDisk, _ program: SteppedRuntime
    ) throws -> Recorder {
        let log = SystemLog(subsystem: "test", threshold: .critical)
        let storage = try RingStorage.open(
            "ring", geometry: LogGeometry(capacity: 4 << 20), fileSystem: disk.fileSystem,
            runtime: program, log: log)
        return Recorder(
            gateway: try #require(GatewayID("boathouse")),
            stations: [try #require(StationID("erg-1"))],
            settings: RingSettings(
                path: "ring", sizeBytes: 4 << 20, commitInterval: .seconds(1), keepsRaw: true),
            ring: OpenedRing(
                storage, highWater: nil, bootID: program.wall().bootID, log: log),
            log: log, runtime: program)
    }

    /// Rows 100 m with a gateway that dies at the `stop`th disk operation. Returns the records of the next
    /// gateway, and the operation at which the end was reported, if it was.
    private static func row(
        stop: Int, _ loss: CrashingBlockDevice.Loss
    ) async throws -> (records: [OutgoingRecord], endsAt: Int?) {
        try await SteppedLoop.run(seed: 1) { machine in
            let erg = SteppedErg(serial: "430000001", generation: .new, on: machine)
            let first = MemoryDisk()
            first.newFilesStopAt = stop
            var life = try await Life(on: machine, first, erg)
            try erg.switchOn("100m", seed: 1, repeats: false)
            for _ in 0..<6000 where first.operations("ring") < stop {
                await machine.sleep(for: .milliseconds(10))
            }
            let endsAt = life.endsAt
            life.program.kill()
            erg.leave(killed: true)
            let left = MemoryDisk(first, loss: loss, seed: UInt64(stop))
            life = try await Life(on: machine, left, erg)
            await machine.sleep(for: .seconds(120))
            erg.switchOff()
            await machine.sleep(for: .seconds(900))
            _ = await life.recorder.records(after: nil, limit: 5000)
            await life.recorder.commit()
            return (await life.recorder.records(after: nil, limit: 5000).records, endsAt)
        }
    }

    /// The problems of the session in `records`.
    private static func problems(_ records: [OutgoingRecord]) throws -> [String] {
        var (ends, manifests, late): (Int, Int, Int) = (0, 0, 0)
        var revisions: [UInt64] = []
        var ledger = DeliveryLedger()
        for record in records {
            ledger.apply(
                topic: TopicMap(gateway: GatewayID("boathouse")!, below: .standard).topic(of: record.stream),
                payload: RecordEncoder.published(record.payload, historical: false))
            let fields = try #require(try JSONObject(parsing: record.payload))
            switch record.stream.kind {
            case .session where fields.text("event") == "ended": ends += 1
            case .summary: revisions.append(fields.number("revision") ?? 0)
            case .manifest: manifests += 1
            case .gap where ends > 0: late += 1
            default: break
            }
        }
        let proofs = ledger.verdict().sessions.map(\.proof)
        var problems: [String] = []
        if (ends, manifests) != (1, 1) { problems.append("\(ends) ends, \(manifests) manifests") }
        // A minute later the monitor adds the recovery heart rate.
        if revisions != [1, 2] { problems.append("summaries \(revisions)") }
        if late > 0 { problems.append("\(late) gaps after the end") }
        if proofs != [.proven] { problems.append("\(proofs)") }
        return problems
    }

    /// The gateway dies at each disk operation around the end of the session. Another one continues with
    /// the ring and the monitor.
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func endsASessionOnceAfterACut(loss: CrashingBlockDevice.Loss) async throws {
        let whole = try await Self.row(stop: .max, .nothing)
        let problems = try Self.problems(whole.records)
        #expect(problems == [])
        let end = try #require(whole.endsAt)
        for stop in end - 3...end + 12 {
            let cut = try await Self.row(stop: stop, loss)
            let problems = try Self.problems(cut.records)
            #expect(problems == [], "stop \(stop - end) after the end")
        }
    }
}

extension SessionEvent {
    fileprivate var isEnd: Bool {
        if case .session(let edge) = self { return edge.kind == .ended }
        return false
    }
}
