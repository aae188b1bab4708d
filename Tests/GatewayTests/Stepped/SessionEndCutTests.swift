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

/// A gateway that ends between any two writes around the end of a session.
struct SessionEndCutTests {
    /// A place of a gateway with its ring, which writes at once, so that each write can be its last.
    private final class Life: @unchecked Sendable {  // of the loop's thread alone
        let program: SteppedRuntime
        let recorder: Recorder
        private let pipeline: StationPipeline
        private let ticks: any QueueLoopTimer
        private let note: Note
        /// Writes and syncs of the ring when the end of the session was on its way to it; nil before.
        var endsAt: Int? { note.count }

        init(on machine: SteppedRuntime, _ disk: MemoryDisk, _ erg: SteppedErg) async throws {
            let program = machine.program()
            let recorder = try SessionEndCutTests.recorder(disk, program)
            await recorder.start(outlet: .init(recordsAvailable: {}, retain: { _, _ in }))
            let before = Note()
            let listener = NewsListener { news in
                if news.events.contains(where: \.isEnd) { before.count = disk.operations("ring") }
                recorder.later { $0.record([news]) }
                return true
            }
            let station = try #require(StationID("erg-1"))
            let pipeline = StationPipeline(
                station: station, gateway: try #require(GatewayID("boathouse")),
                resuming: recorder.interruptedSessions[station], keepsRaw: true,
                outlet: StationOutlet(
                    listeners: [listener], live: { _, _ in }, retain: { _, _ in }),
                runtime: program, log: SystemLog(subsystem: "test", threshold: .critical))
            ticks = program.makeTimer(on: pipeline.executor) {
                pipeline.assumeIsolated { $0.tick() }
            }
            (self.program, self.recorder, self.pipeline) = (program, recorder, pipeline)
            note = before
            await pipeline.start(interval: .milliseconds(500))
            ticks.schedule(after: .milliseconds(500), every: .milliseconds(500))
            erg.attend(on: program.makeQueue(label: "bus", isPrompt: true)) { pipeline.seat }
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

    /// A piece of 100 m, whose gateway ends at the `stop`th operation of its disk, and what the next one
    /// has in its ring when all is over; and when the end came, if it did.
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

    /// What is wrong with the session that is in `records`.
    private static func problems(_ records: [OutgoingRecord]) throws -> [String] {
        var (ends, manifests, late): (Int, Int, Int) = (0, 0, 0)
        var revisions: [UInt64] = []
        var ledger = DeliveryLedger(digest: SHA256Digest.hexadecimal(of:))
        for record in records {
            ledger.take(
                topic: TopicMap(gateway: GatewayID("boathouse")!).topic(of: record.stream),
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
        if late > 0 { problems.append("\(late) gaps behind the end") }
        if proofs != [.proven] { problems.append("\(proofs)") }
        return problems
    }

    /// Goal: a session ends once, with one summary and a manifest that counts what is there, whenever the
    /// gateway ends, killed or without power. Method: a whole piece says at which operation of the disk
    /// its end comes; then the same piece with a gateway whose disk has that operation, or one of those
    /// around it, as its last; another one goes on with what is left, and with the monitor.
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func aSessionEndsOnce(loss: CrashingBlockDevice.Loss) async throws {
        let whole = try await Self.row(stop: .max, .nothing)
        let problems = try Self.problems(whole.records)
        #expect(problems == [])
        let end = try #require(whole.endsAt)
        for stop in end - 3...end + 12 {
            let cut = try await Self.row(stop: stop, loss)
            let problems = try Self.problems(cut.records)
            #expect(problems == [], "stop \(stop - end) behind the end")
        }
    }
}

extension SessionEvent {
    fileprivate var isEnd: Bool {
        if case .session(let edge) = self { return edge.kind == .ended }
        return false
    }
}
