import Contract
import DeliveryProof
import Glibc
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording

/// Rings that are lost during a session, and disks that refuse writes.
extension SessionManifestTests {
    /// The next process follows a stop, or a kill soon or long after the loss.
    @Test(arguments: Loss.allCases, [nil, 152, 200])
    func replacesALostRing(loss: Loss, killedAt: Int?) async throws {
        let ergs = Array(ergs.prefix(2))
        let records = try await SteppedLoop.run(seed: 1) { machine in
            let disk = MemoryDisk()
            let program = machine.program()
            let first = try await Self.recorder(ergs, on: program, disk.fileSystem)
            await first.record(ergs.map { Self.edge(.started, at: $0, machine) })
            for number in 1...(killedAt ?? 200) {
                if number == 150 { loss.happen(to: disk) }
                await first.record(Self.strokes(number, of: ergs, rawBytes: 5000, machine))
                await machine.sleep(for: .seconds(2))
            }
            var (before, cursor) = try await Self.published(first)
            await machine.sleep(for: .seconds(3))
            before += try await Self.published(first, after: cursor).records
            if killedAt == nil {
                #expect(await first.snapshot().failure == nil)
                await first.stop()
            } else {
                await machine.enter()
                program.kill()
            }
            let second = try await Self.recorder(ergs, on: machine, disk.fileSystem)
            #expect(await second.snapshot().failure == nil)
            for number in 201...210 {
                await second.record(Self.strokes(number, of: ergs, machine))
                await machine.sleep(for: .seconds(2))
            }
            let content = try RingContent(of: CrashingBlockDevice(disk.bytes("ring.log")))
            #expect(content == .ring)
            let after = try await Self.published(second).records
            if killedAt != 152 {
                #expect(after.count { $0.stream.kind == .stroke } >= 2 * 51)
            }
            return before + after
        }
        let verdict = Self.verdict(records)
        #expect(verdict.streams.flatMap(\.altered) == [])
        #expect(verdict.lost.filter { $0.missing.declared == nil }.map(\.missing) == [])
    }

    @Test(arguments: Loss.allCases, [false, true])
    func manifestCountsRecordsOfALostRing(loss: Loss, isKilled: Bool) async throws {
        let ergs = Array(ergs.prefix(2))
        let records = try await SteppedLoop.run(seed: 1) { machine in
            let disk = MemoryDisk()
            var program = machine.program()
            var recorder = try await Self.recorder(ergs, on: program, disk.fileSystem)
            await recorder.record(ergs.map { Self.edge(.started, at: $0, machine) })
            var records: [OutgoingRecord] = []
            for life in 0..<3 {
                for number in life * 150 + 1...life * 150 + 150 {
                    await recorder.record(Self.strokes(number, of: ergs, rawBytes: 5000, machine))
                    await machine.sleep(for: .seconds(2))
                }
                let (new, cursor) = try await Self.published(recorder)
                records += new
                if let cursor { await recorder.acknowledged(through: cursor) }
                if life == 2 { break }
                if life == 0 { loss.happen(to: disk) }
                await machine.sleep(for: .seconds(60))
                if isKilled {
                    await machine.enter()
                    program.kill()
                } else {
                    await recorder.stop()
                }
                program = machine.program()
                recorder = try await Self.recorder(ergs, on: program, disk.fileSystem)
            }
            await recorder.record(ergs.map { Self.edge(.ended, at: $0, machine) })
            await machine.sleep(for: .seconds(10))
            return try await records + Self.published(recorder).records
        }
        #expect(try Self.strokeCounts(records) == ["erg-1": 450, "erg-2": 450])
        #expect(Self.verdict(records).sessions.map(\.proof) == [.proven, .proven])
    }

    @Test func replacesATruncatedRingDuringTheStop() async throws {
        let ergs = Array(ergs.prefix(1))
        try await SteppedLoop.run(seed: 1) { machine in
            let disk = MemoryDisk()
            let first = try await Self.recorder(ergs, on: machine, disk.fileSystem)
            await first.record(Self.strokes(1, of: ergs, machine))
            await machine.sleep(for: .seconds(2))
            disk.truncate("ring.log")
            await first.record(Self.strokes(2, of: ergs, machine))
            await first.stop()
            let second = try await Self.recorder(ergs, on: machine, disk.fileSystem)
            let records = try await Self.published(second).records
            #expect(records.count { $0.stream.kind == .stroke } == 2)
        }
    }

    @Test func neverReusesANumberOnARefusingDisk() async throws {
        let ergs = Array(ergs.prefix(2))
        let records = try await SteppedLoop.run(seed: 1) { machine in
            let disk = MemoryDisk()
            var records: [OutgoingRecord] = []
            for life in 0..<3 {
                disk.fail(writing: life == 1 ? EIO : nil)
                let program = machine.program()
                let recorder = try await Self.recorder(ergs, on: program, disk.fileSystem)
                for number in life * 20 + 1...life * 20 + 20 {
                    await recorder.record(Self.strokes(number, of: ergs, machine))
                    await machine.sleep(for: .seconds(2))
                }
                records += try await Self.published(recorder).records
                if life == 0 { await recorder.stop() }
                await machine.enter()
                program.kill()
            }
            return records
        }
        #expect(Self.verdict(records).streams.flatMap(\.altered) == [])
        #expect(Set(records.filter { $0.stream.kind == .stroke }.map(\.payload)).count == 120)
    }
}
