import Contract
import Foundation
import Glibc
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import PM5Codec
@testable import Recording
@testable import Rowing

/// Resizing a ring, and merging a returned ring.
struct RingChangeTests {
    private let disk = MemoryDisk()
    private let gateway: GatewayID
    private let erg: StationID
    private let session = SessionID("01HF0000000000000000000000")

    init() throws {
        gateway = try #require(GatewayID("boathouse"))
        erg = try #require(StationID("erg-1"))
    }

    private func recorder(
        on disk: MemoryDisk? = nil, mebibytes: Int = 4, stations: [StationID]? = nil
    ) async throws -> Recorder {
        let log = SystemLog(subsystem: "test", threshold: .critical)
        let settings = RingSettings(
            path: "ring.log", sizeBytes: mebibytes << 20, commitInterval: .seconds(3600),
            keepsRaw: false)
        let storage = try RingStorage.open(
            settings.path, geometry: LogGeometry(capacity: settings.sizeBytes),
            fileSystem: (disk ?? self.disk).fileSystem, runtime: SystemRuntime(), log: log)
        var ring = OpenedRing(
            storage, highWater: nil, bootID: SystemRuntime().wall().bootID, log: log)
        try ring.resize(to: LogGeometry(capacity: settings.sizeBytes), log: log)
        let recorder = Recorder(
            gateway: gateway, stations: stations ?? [erg], settings: settings, ring: ring, log: log,
            runtime: SystemRuntime())
        await recorder.start(callbacks: .init(recordsAvailable: {}, retain: { _, _ in }))
        return recorder
    }

    private func update(
        _ events: [SessionEvent], of station: StationID? = nil, checkpoint: [UInt8] = []
    ) -> StationUpdate {
        StationUpdate(
            station: station ?? erg, monitorSerial: nil, at: SystemRuntime().now(), events: events,
            checkpoint: checkpoint)
    }

    private func strokes(
        _ numbers: ClosedRange<Int>, of session: SessionID? = nil
    ) -> [SessionEvent] {
        numbers.map { number in
            .stroke(
                Stroke(
                    session: session ?? self.session, at: SystemRuntime().now(), number: number,
                    elapsed: .seconds(number * 2), distance: Meters(Int64(number) * 10)))
        }
    }

    private func edge(_ kind: SessionTransition.Kind, of session: SessionID? = nil) -> SessionEvent {
        .session(
            SessionTransition(
                kind: kind, session: session ?? self.session, startedAt: SystemRuntime().now(),
                workout: Workout(type: .justRowWithoutSplits, target: .none),
                at: SystemRuntime().now()))
    }

    private struct Published {
        var epoch: String
        var stream: StreamID
        var sequence: UInt64
        var cursor: UInt64
        var fields: [String: Any]
    }

    /// The records from the first unacknowledged one on, as a publisher reads them.
    private func published(_ recorder: Recorder, after first: UInt64? = nil) async throws
        -> [Published]
    {
        var cursor = first
        var found: [Published] = []
        while true {
            let batch = await recorder.records(after: cursor, limit: 500)
            guard let through = batch.through else { return found }
            cursor = through
            for record in batch.records {
                let fields = try #require(
                    try JSONSerialization.jsonObject(with: Data(record.payload)) as? [String: Any])
                found.append(
                    Published(
                        epoch: fields["epoch"] as? String ?? "", stream: record.stream,
                        sequence: record.sequence, cursor: record.cursor, fields: fields))
            }
        }
    }

    private func numbers(_ published: [Published]) -> [Int] {
        published.filter { $0.stream.kind == .stroke }.compactMap { $0.fields["stroke"] as? Int }
    }

    /// The strokes that events declare as lost for `reason`.
    private func declared(_ published: [Published], _ reason: String) -> Set<UInt64> {
        var sequences: Set<UInt64> = []
        for record in published {
            if reason == "earlier_epoch",
                let first = record.fields["first_seq"] as? [String: UInt64],
                let stroke = first["erg/erg-1/stroke"]
            {
                sequences.formUnion(1..<stroke)
            }
            guard record.fields["stream"] as? String == "erg/erg-1/stroke" else { continue }
            guard record.fields["reason"] as? String == reason,
                let from = record.fields["from_seq"] as? UInt64,
                let to = record.fields["to_seq"] as? UInt64
            else { continue }
            sequences.formUnion(from...to)
        }
        return sequences
    }

    // MARK: Another size

    /// A session begins in one size and ends in the other.
    @Test(arguments: [(4, 8), (8, 4)])
    func resizesWithoutLoss(from old: Int, to new: Int) async throws {
        let first = try await recorder(mebibytes: old)
        let epoch = await first.epoch
        await first.record([update([edge(.started)] + strokes(1...30))])
        let acknowledgedRecord = try #require(try await published(first).first { $0.sequence == 12 })
        await first.acknowledged(through: acknowledgedRecord.cursor)
        await first.stop()

        let second = try await recorder(mebibytes: new)
        #expect(disk.size("ring.log") == new << 20 + 8192)
        #expect(disk.names == ["ring.log"])
        #expect(await second.epoch == epoch)
        #expect(await second.snapshot().sizeBytes == new << 20)
        #expect(await second.snapshot().droppedTotal == 0)
        let waiting = try await published(second)
        #expect(numbers(waiting) == Array(13...30))
        #expect(await second.snapshot().backlog == 18)
        await second.record([update(strokes(31...40) + [edge(.ended)])])
        let all = try await published(second)
        #expect(numbers(all) == Array(13...40) && all.allSatisfy { $0.epoch == epoch })
        let manifest = try #require(all.first { $0.stream.kind == .manifest }).fields
        #expect(manifest["stroke_count"] as? Int == 40)
        #expect(manifest["stroke_first_seq"] as? Int == 1)
        let request = ReplayRequest(
            stream: StreamID(station: erg, kind: .stroke), sequences: 1...40)
        let replayed = await second.records(of: request, after: nil, limit: 100)
        #expect(replayed.records.map(\.sequence) == Array(1...40))
        await second.stop()
        let third = try await recorder(mebibytes: new)
        #expect(numbers(try await published(third)) == Array(13...40))
    }

    /// 7 MiB of unpublished records are moved to a ring of 4 MiB. The gateway dies right after it.
    @Test func keepsTheNewestRecordsThatFit() async throws {
        let first = try await recorder(mebibytes: 8)
        var last = 0
        while await first.snapshot().usedFraction < 0.85 {
            await first.record([update(strokes(last + 1...last + 1000))])
            last += 1000
        }
        await first.stop()
        _ = try await recorder(mebibytes: 4)
        let second = try await recorder(mebibytes: 4)
        await second.commit()
        let all = try await published(second)
        let left = numbers(all)
        let oldest = try #require(left.first)
        #expect(left == Array(oldest...last))
        #expect(left.count > last / 4)
        #expect(declared(all, "overwritten") == Set(1...UInt64(oldest - 1)))
        #expect(await second.epoch == first.epoch)
    }

    @Test func keepsTheOldSizeWithoutSpace() async throws {
        let first = try await recorder(mebibytes: 4)
        await first.record([update(strokes(1...5))])
        await first.stop()
        disk.limit = 10 << 20
        let second = try await recorder(mebibytes: 8)
        #expect(await second.snapshot().sizeBytes == 4 << 20)
        #expect(await second.snapshot().failure == nil)
        #expect(numbers(try await published(second)) == Array(1...5))
        #expect(disk.names == ["ring.log"])
        await second.stop()
        disk.limit = .max
        let third = try await recorder(mebibytes: 8)
        #expect(await third.snapshot().sizeBytes == 8 << 20)
        #expect(numbers(try await published(third)) == Array(1...5))
    }

    /// The new file stops at each of its operations.
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func survivesACutWhileResizing(loss: CrashingBlockDevice.Loss) async throws {
        let first = try await recorder(mebibytes: 4)
        await first.record([update(strokes(1...40))])
        await first.stop()
        let epoch = await first.epoch
        let whole = MemoryDisk(disk, loss: loss, seed: 0)
        _ = try await recorder(on: whole, mebibytes: 8)
        let total = whole.operations("ring.log")
        #expect(total > 6)
        for stop in 1...total {
            let dying = MemoryDisk(disk, loss: .nothing, seed: 0)
            dying.newFilesStopAt = stop
            _ = try await recorder(on: dying, mebibytes: 8)
            let after = MemoryDisk(dying, loss: loss, seed: UInt64(stop))
            let second = try await recorder(on: after, mebibytes: 8)
            #expect(numbers(try await published(second)) == Array(1...40), "stop \(stop)")
            #expect(await second.epoch == epoch, "stop \(stop)")
            #expect(await second.snapshot().sizeBytes == 8 << 20, "stop \(stop)")
            #expect(after.names == ["ring.log"], "stop \(stop)")
        }
    }

    // MARK: A ring that returns

    /// The first process leaves a backlog. The second one records in memory and publishes a part until
    /// the ring returns.
    @Test func mergesAReturnedRing() async throws {
        let first = try await recorder()
        await first.record([update(strokes(1...6))])
        let sent = try #require(try await published(first).first { $0.sequence == 2 })
        await first.acknowledged(through: sent.cursor)
        await first.stop()

        disk.isAway = true
        let second = try await recorder()
        await second.record([update([edge(.started)] + strokes(101...104))])
        await second.commit()
        let early = try await published(second)
        #expect(numbers(early) == Array(101...104))
        await second.acknowledged(through: early[2].cursor)
        let memoryEpoch = await second.epoch
        #expect(await !second.healed())

        disk.isAway = false
        #expect(await second.healed())
        #expect(await second.snapshot().failure == nil)
        let third = await second.epoch
        #expect(Set([await first.epoch, memoryEpoch, third]).count == 3)
        // This late acknowledgement is about the ring that was left.
        await second.acknowledged(through: early[4].cursor)
        await second.record([update(strokes(105...106) + [edge(.ended)])])
        await second.commit()
        let all = try await published(second, after: early[4].cursor)
        #expect(numbers(all) == Array(3...6) + Array(101...106))
        #expect(all.map(\.cursor) == all.map(\.cursor).sorted())
        #expect((all.first?.cursor ?? 0) > early[4].cursor)
        try expectIdentities(all, epochs: [await first.epoch, memoryEpoch, third])
        // Six numbers of one ring and four of the other belong to earlier epochs.
        #expect(declared(all, "earlier_epoch").isSuperset(of: 1...6))
        let manifest = try #require(all.first { $0.stream.kind == .manifest }).fields
        #expect(manifest["stroke_count"] as? Int == 6)
        #expect(
            all.contains { $0.fields["event"] as? String == "ring_recovered" }, "it is declared")
        await second.stop()

        let fourth = try await recorder()
        #expect(await fourth.epoch == third)
        #expect(numbers(try await published(fourth)) == Array(3...6) + Array(101...106))
    }

    /// The first process is killed in a session, with and without a checkpoint. The second one records a
    /// session in memory.
    @Test(arguments: [true, false])
    func endsSessionsOfAReturnedRing(hasCheckpoint: Bool) async throws {
        var machine = SessionMachine { [session] in session }
        let now = SystemRuntime().now()
        var ignored: [SessionEvent] = []
        machine.linkOpened(at: now, into: &ignored)
        let rowing = GeneralStatus.with { ($0.workoutState, $0.rowingState) = (.workoutRow, .active) }
        machine.receive(.generalStatus(rowing), at: now, into: &ignored)
        let checkpoint = hasCheckpoint ? machine.checkpoint(at: now)?.encode() ?? [] : []
        let first = try await recorder()
        await first.assign("a-1", until: .changed, to: erg)
        await first.record([update([edge(.started)] + strokes(1...6), checkpoint: checkpoint)])
        await first.commit()

        disk.isAway = true
        let second = try await recorder()
        let other = SessionID("01HF0000000000000000000001")
        await second.record([update([edge(.started, of: other)] + strokes(1...4, of: other))])
        disk.isAway = false
        #expect(await second.healed())
        await second.record([update(strokes(5...5, of: other) + [edge(.ended, of: other)])])
        let all = try await published(second)
        let manifests = all.filter { $0.stream.kind == .manifest }.map(\.fields)
        #expect(manifests.map { $0["session_id"] as? String } == [session.text, other.text])
        #expect(manifests.map { $0["stroke_count"] as? Int } == [6, 5])
        #expect(manifests.map { $0["gap_count"] as? Int } == [hasCheckpoint ? 1 : 0, 0])
        let own = all.filter { $0.fields["session_id"] as? String == session.text }
        let ends = own.filter { $0.fields["event"] as? String == "ended" }
        #expect(ends.count == (hasCheckpoint ? 1 : 0))
        #expect(own.count { $0.stream.kind == .summary } == ends.count)
        #expect(ends.allSatisfy { $0.fields["athlete_id"] as? String == "a-1" })
        #expect(await second.athlete(at: erg) == nil, "the second process has no assignment")
        await second.stop()
        let third = try await recorder()
        #expect(third.interruptedSessions.isEmpty)
        #expect(try await published(third).count { $0.stream.kind == .manifest } == 2)
    }

    @Test func countsTheWholeSessionWhenTheOwnRingReturns() async throws {
        let first = try await recorder()
        await first.record([update([edge(.started)] + strokes(1...6))])
        await first.commit()
        disk.isAway = true
        await first.doHousekeeping()
        await first.record([update(strokes(7...9))])
        disk.isAway = false
        disk.replug("ring.log")
        while await !first.healed() {}
        await first.record([update(strokes(10...10) + [edge(.ended)])])
        let manifests = try await published(first).filter { $0.stream.kind == .manifest }
        #expect(manifests.count == 1)
        #expect(manifests.first?.fields["stroke_count"] as? Int == 10)
    }

    /// Expects that each name has one record, and that the epochs are in the order of their start.
    private func expectIdentities(_ records: [Published], epochs: [String]) throws {
        let names = records.map { "\($0.epoch) \($0.stream.path) \($0.sequence)" }
        #expect(Set(names).count == names.count)
        let strokes = records.filter { $0.stream.kind == .stroke }
        var order: [String] = []
        for record in strokes where order.last != record.epoch { order.append(record.epoch) }
        #expect(order == epochs)
    }

    @Test func losesNothingWhenAReturnedDiskFails() async throws {
        let first = try await recorder()
        await first.record([update(strokes(1...6))])
        await first.stop()
        for failing in [EIO, ENOSPC] {
            let disk = MemoryDisk(self.disk, loss: .nothing, seed: 0)
            disk.isAway = true
            let second = try await recorder(on: disk)
            await second.record([update(strokes(101...104))])
            disk.isAway = false
            disk.fail(writing: failing)
            #expect(await !second.healed())
            #expect(numbers(try await published(second)) == Array(101...104))
            disk.fail(writing: nil)
            #expect(await second.healed())
            let found = numbers(try await published(second))
            #expect(found.starts(with: 1...6))
            #expect(Array(found.suffix(4)) == Array(101...104))
            await second.stop()
        }
    }

    @Test func renamesADamagedReturnedRing() async throws {
        let first = try await recorder()
        await first.record([update(strokes(1...6))])
        await first.stop()
        disk.damage("ring.log", at: [20, 4 << 20 + 4096 + 20])
        disk.isAway = true
        let second = try await recorder()
        await second.record([update(strokes(101...104))])
        disk.isAway = false
        for _ in 0..<6 where await !second.healed() {}
        #expect(await second.snapshot().failure == nil)
        #expect(disk.names.count == 2)
        #expect(disk.names.contains { $0.hasPrefix("ring.log.damaged-") })
        await second.stop()
        let third = try await recorder()
        #expect(numbers(try await published(third)) == Array(101...104))
        #expect(await third.epoch == second.epoch)
    }

    // MARK: Former ergs

    @Test(arguments: [60, 100])
    func boundsTheNumbersOfFormerErgs(count: Int) async throws {
        let many = (1...count).compactMap { StationID("a-former-place-in-the-room-\($0)") }
        let first = try await recorder(stations: many + [erg])
        for station in many { await first.record([update(strokes(1...1), of: station)]) }
        await first.record([update(strokes(1...3))])
        await first.stop()
        let second = try await recorder()
        let isRenewed = count > RecorderState.maximumFormerStations
        #expect(await (second.epoch != first.epoch) == isRenewed)
        var last = 3
        while last < 3000 {
            await second.record([update(strokes(last + 1...last + 500))])
            last += 500
        }
        await second.stop()
        let third = try await recorder()
        #expect(await third.epoch == second.epoch)
        let found = numbers(try await published(third))
        #expect(found.filter { $0 > 1 } == Array(2...last))
        let birth = await third.birth()
        #expect(birth.nextSequences[StreamID(station: erg, kind: .stroke)] == UInt64(last) + 1)
        #expect(birth.nextSequences.count == (isRenewed ? 2 : count + 1))
    }
}
