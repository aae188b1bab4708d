import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// The recorder does not wait for a slow disk.
struct SlowDiskTests {
    private let gateway: GatewayID
    private let erg: StationID

    init() throws {
        gateway = try #require(GatewayID("boathouse"))
        erg = try #require(StationID("erg-1"))
    }

    private func recorder(
        on device: CrashingBlockDevice, _ machine: SteppedRuntime
    ) throws -> Recorder {
        try Recorder(
            gateway: gateway, stations: [erg],
            settings: RingSettings(
                path: "memory", sizeBytes: 4 << 20, commitInterval: .seconds(1), keepsRaw: false),
            log: SystemLog(subsystem: "test", threshold: .critical), runtime: machine,
            fileSystem: .holding(device))
    }

    private func row(
        _ recorder: Recorder, _ number: Int, at station: StationID? = nil,
        _ machine: SteppedRuntime
    ) async {
        let stroke = Stroke(
            session: SessionID("01HF0000000000000000000000"), at: machine.now(), number: number,
            elapsed: .seconds(number * 2), distance: Meters(Int64(number) * 10))
        await recorder.record([
            StationUpdate(
                station: station ?? erg, monitorSerial: nil, at: machine.now(),
                events: [.stroke(stroke)], checkpoint: [])
        ])
    }

    /// The sequence numbers of strokes that a publisher reads now.
    private func published(_ recorder: Recorder) async -> [UInt64] {
        await recorder.records(after: nil, limit: 1000).records
            .filter { $0.stream.kind == .stroke }.map(\.sequence)
    }

    /// Each operation of the disk takes 300 ms after a stall of `stall` seconds.
    @Test(arguments: [0, 2, 10, 3600])
    func publishesStrokesDuringAStall(stall: Int64) async throws {
        try await SteppedLoop.run(seed: 1) { machine in
            let device = CrashingBlockDevice()
            let recorder = try recorder(on: device, machine)
            await recorder.start(callbacks: .silent)
            let end = machine.now().advanced(by: .seconds(stall))
            machine.pace = { label in
                guard label == "rowgate.disk" else { return .zero }
                return max(.milliseconds(300), machine.now().duration(to: end))
            }
            for number in 1...60 {
                let before = machine.now()
                await row(recorder, number, machine)
                #expect(await published(recorder).last == UInt64(number))
                #expect(machine.now() == before, "stroke \(number) took time")
                if number == 9, stall > 9 {
                    #expect(await recorder.snapshot().diskDelay ?? .zero > .seconds(6))
                }
                await machine.sleep(for: .seconds(1))
            }
            let snapshot = await recorder.snapshot()
            #expect((snapshot.failure?.contains("does not answer") == true) == (stall > 60))
            if stall < 60 {
                #expect(try #require(snapshot.worstCommit) >= .seconds(stall - 1))
            }
            await machine.sleep(for: .seconds(2 * stall + 60))
            #expect(await recorder.snapshot().failure == nil)
            #expect(await published(recorder) == Array(1...60))
            await recorder.stop()
            let next = try self.recorder(
                on: CrashingBlockDevice(device.content(after: .everything)), machine.program())
            #expect(await published(next) == Array(1...60))
            #expect(await next.epoch == recorder.epoch)
        }
    }

    @Test func holdsBackOnlyAnUnconfiguredErg() async throws {
        let other = try #require(StationID("pm5-430000009"))
        try await SteppedLoop.run(seed: 1) { machine in
            let recorder = try recorder(on: CrashingBlockDevice(), machine)
            await recorder.start(callbacks: .silent)
            machine.pace = { $0 == "rowgate.disk" ? .seconds(2) : .zero }
            await row(recorder, 1, at: other, machine)
            await row(recorder, 1, machine)
            await row(recorder, 2, at: other, machine)
            #expect(await published(recorder) == [1])
            machine.pace = { _ in .zero }
            await machine.sleep(for: .seconds(20))
            #expect(await published(recorder) == [1, 1, 2])
        }
    }

    /// The disk stalls for ever.
    @Test func numbersAnUnconfiguredErgInANewEpoch() async throws {
        let other = try #require(StationID("pm5-430000009"))
        try await SteppedLoop.run(seed: 1) { machine in
            let recorder = try recorder(on: CrashingBlockDevice(), machine)
            await recorder.start(callbacks: .silent)
            let epoch = await recorder.epoch
            machine.pace = { $0 == "rowgate.disk" ? .seconds(36_000) : .zero }
            await row(recorder, 1, at: other, machine)
            await machine.sleep(for: .seconds(25))
            #expect(await published(recorder) == [])
            await machine.sleep(for: .seconds(10))
            #expect(await published(recorder) == [1])
            #expect(await recorder.epoch != epoch)
        }
    }

    @Test func assignmentIsDurableOnReturn() async throws {
        try await SteppedLoop.run(seed: 1) { machine in
            let device = CrashingBlockDevice()
            let recorder = try recorder(on: device, machine)
            await recorder.start(callbacks: .silent)
            machine.pace = { $0 == "rowgate.disk" ? .milliseconds(300) : .zero }
            await recorder.assign("a-1", until: .changed, to: erg)
            let left = CrashingBlockDevice(device.content(after: .everything))
            let next = try self.recorder(on: left, machine.program())
            #expect(await next.athlete(at: erg) == "a-1")
        }
    }
}

extension RecorderCallbacks {
    fileprivate static let silent = RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in })
}
