import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// Recording continues while the disk is absent, full or broken, and the disk gets the records later.
struct DiskFailureTests {
    private let folder: TemporaryFolder
    private let gateway: GatewayID
    private let erg: StationID

    init() throws {
        folder = try TemporaryFolder()
        gateway = try #require(GatewayID("boathouse"))
        erg = try #require(StationID("erg-1"))
    }

    private var path: String { folder.path("ring.log") }

    private let log = SystemLog(subsystem: "test", threshold: .critical)

    private func recorder(
        _ path: String? = nil, disk: FallbackBlockDevice.FileSystem = .init(),
        sizeBytes: Int = 4 << 20, memoryLimit: Int? = nil
    ) async throws -> Recorder {
        let settings = RingSettings(
            path: path ?? self.path, sizeBytes: sizeBytes, commitInterval: .seconds(3600),
            keepsRaw: false)
        let storage = try RingStorage.open(
            settings.path, geometry: LogGeometry(capacity: settings.sizeBytes), fileSystem: disk,
            runtime: SystemRuntime(), log: log)
        if let memoryLimit { storage.device.memoryLimit = memoryLimit }
        let recorder = Recorder(
            gateway: gateway, stations: [erg], settings: settings,
            ring: OpenedRing(
                storage, highWater: nil, bootID: SystemRuntime().wall().bootID, log: log),
            log: log, runtime: SystemRuntime())
        await recorder.start(callbacks: .init(recordsAvailable: {}, retain: { _, _ in }))
        return recorder
    }

    private func row(_ recorder: Recorder, _ strokes: ClosedRange<Int>) async {
        let events = strokes.map { number in
            SessionEvent.stroke(
                Stroke(
                    session: SessionID("01HF0000000000000000000000"), at: SystemRuntime().now(),
                    number: number, elapsed: .seconds(number * 2),
                    distance: Meters(Int64(number) * 10)))
        }
        await recorder.record([
            StationUpdate(
                station: erg, monitorSerial: nil, at: SystemRuntime().now(), events: events,
                checkpoint: [])
        ])
        await recorder.commit()
    }

    /// The numbers of the unacknowledged strokes, as a publisher reads them.
    private func published(_ recorder: Recorder) async throws -> [Int] {
        var cursor: UInt64?
        var strokes: [Int] = []
        while true {
            let batch = await recorder.records(after: cursor, limit: 100)
            guard let through = batch.through else { return strokes }
            cursor = through
            for record in batch.records where record.stream.kind == .stroke {
                let fields = try JSONSerialization.jsonObject(with: Data(record.payload))
                strokes.append(try #require((fields as? [String: Any])?["stroke"] as? Int))
            }
        }
    }

    @Test func recordsInMemoryUntilTheFolderExists() async throws {
        let place = folder.path("disk/ring.log")
        let recorder = try await recorder(place)
        await row(recorder, 1...5)
        #expect(await recorder.snapshot().failure?.contains("disk/ring.log: open") == true)
        #expect(try await published(recorder) == Array(1...5))
        await recorder.healed()
        #expect(await recorder.snapshot().failure != nil)
        try FileManager.default.createDirectory(
            atPath: folder.path("disk"), withIntermediateDirectories: true)
        #expect(await healed(recorder))
        await row(recorder, 6...7)
        await recorder.stop()
        try await expect(strokes: 1...7, of: await recorder.epoch, at: place)
    }

    /// Checks the file's records in a copy, because the recorder under test may still have it open.
    private func expect(
        strokes: ClosedRange<Int>, of epoch: String, at path: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let copy = folder.path("copy.log")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let second = try await recorder(copy)
        #expect(await second.epoch == epoch, sourceLocation: sourceLocation)
        let found = try await published(second)
        #expect(found == Array(strokes), sourceLocation: sourceLocation)
    }

    /// Retries: a new file is filled in several steps.
    private func healed(_ recorder: Recorder) async -> Bool {
        for _ in 0..<10 where await !recorder.healed() {}
        return await recorder.snapshot().failure == nil
    }

    @Test func recoversADeletedRing() async throws {
        let recorder = try await recorder()
        await row(recorder, 1...3)
        try FileManager.default.removeItem(atPath: path)
        await row(recorder, 4...5)
        // On a busy machine the recorder's own timer may have recovered the file already.
        let failure = await recorder.snapshot().failure
        #expect(failure != nil || FileManager.default.fileExists(atPath: path))
        #expect(try await published(recorder) == Array(1...5))
        #expect(await healed(recorder))
        let epoch = await recorder.epoch
        await row(recorder, 6...6)
        await recorder.stop()
        try await expect(strokes: 1...6, of: epoch, at: path)
    }

    /// Nothing writes between the move and the check. The new file must contain the records of the moved
    /// one.
    @Test(arguments: [true, false])
    func detectsAMovedOrDeletedRing(isDeleted: Bool) async throws {
        let recorder = try await recorder()
        await row(recorder, 1...3)
        let away = folder.path("away.log")
        try FileManager.default.moveItem(atPath: path, toPath: away)
        await row(recorder, 4...5)
        if isDeleted { try FileManager.default.removeItem(atPath: away) }
        await recorder.doHousekeeping()
        #expect(
            await recorder.snapshot().failure == "\(path): moved away or removed while in use")
        await row(recorder, 6...6)
        #expect(try await published(recorder) == Array(1...6))
        #expect(await healed(recorder))
        let epoch = await recorder.epoch
        await row(recorder, 7...7)
        #expect(await recorder.snapshot().droppedTotal == 0)
        await recorder.stop()
        try await expect(strokes: 1...7, of: epoch, at: path)
    }

    /// The ring is large enough to be copied in several steps. The recorder stops after the first one.
    @Test(arguments: [true, false])
    func finishesACopyAfterAStop(hasNewRecords: Bool) async throws {
        let recorder = try await recorder(sizeBytes: 16 << 20)
        await row(recorder, 1...3)
        try FileManager.default.removeItem(atPath: path)
        await row(recorder, 4...5)
        #expect(await !recorder.healed())
        #expect(FileManager.default.fileExists(atPath: path), "a copy has begun")
        if hasNewRecords { await row(recorder, 6...6) }
        let epoch = await recorder.epoch
        await recorder.stop()
        await recorder.finishCopy()
        try await expect(strokes: 1...(hasNewRecords ? 6 : 5), of: epoch, at: path)
    }

    @Test func recordsInMemoryWhileNoFileCanBeCreated() async throws {
        let place = folder.path("disk/ring.log")
        let directory = folder.path("disk")
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let recorder = try await recorder(place)
        await row(recorder, 1...3)
        try FileManager.default.moveItem(atPath: directory, toPath: folder.path("away"))
        await recorder.doHousekeeping()
        await row(recorder, 4...5)
        #expect(await !recorder.healed())
        #expect(await recorder.snapshot().failure?.contains("No such file") == true)
        #expect(try await published(recorder) == Array(1...5))
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        #expect(await healed(recorder))
        await recorder.stop()
        try await expect(strokes: 1...5, of: recorder.epoch, at: place)
    }

    @Test func createsTheRingOnceThereIsSpace() async throws {
        let device = CrashingBlockDevice()
        device.allocateError = ENOSPC
        let recorder = try await recorder("memory", disk: .holding(device))
        await row(recorder, 1...3)
        #expect(await recorder.snapshot().failure?.contains("No space left") == true)
        #expect(await !recorder.healed())
        #expect(device.content.isEmpty)
        device.allocateError = nil
        #expect(await recorder.healed())
        await recorder.stop()
        #expect(device.content.count == 4 << 20 + 8192)
        let second = try await self.recorder("memory", disk: .holding(device))
        #expect(try await published(second) == [1, 2, 3])
    }

    enum Refusal: CaseIterable {
        case fullOnWrite, brokenOnWrite, brokenOnSync
    }

    /// Writes or syncs fail for five records, from each record on. As on Linux, the device forgets what a
    /// failed sync had pending. Then the power is cut.
    @Test(arguments: Refusal.allCases)
    func losesNothingOnAFailingDisk(_ refusal: Refusal) async throws {
        for first in 1...8 {
            let device = CrashingBlockDevice()
            let recorder = try await recorder("memory", disk: .holding(device))
            for number in 1...14 {
                let isFailing = (first..<first + 5).contains(number)
                device.writeError = isFailing ? refusal.writeCode : nil
                device.syncError = isFailing ? refusal.syncCode : nil
                await row(recorder, number...number)
                #expect(await recorder.healed() != isFailing, "from \(first), \(number)")
            }
            #expect(try await published(recorder) == Array(1...14))
            let medium = CrashingBlockDevice(device.content(after: .everything))
            let second = try await self.recorder("memory", disk: .holding(medium))
            let found = try await published(second)
            #expect(found == Array(1...14), "from \(first)")
            #expect(await second.epoch == recorder.epoch)
        }
    }

    @Test func recordsInANewEpochOnAReadOnlyFileSystem() async throws {
        let device = CrashingBlockDevice()
        let first = try await recorder("memory", disk: .holding(device))
        await row(first, 1...3)
        await first.stop()
        let disk = RemountableDisk(device)
        disk.isReadOnly = true
        let second = try await recorder("memory", disk: disk.fileSystem)
        await row(second, 4...5)
        #expect(await second.snapshot().failure?.contains("Read-only file system") == true)
        #expect(try await published(second) == Array(1...5))
        #expect(await !second.healed())
        disk.isReadOnly = false
        #expect(await second.healed())
        await second.stop()
        let third = try await recorder("memory", disk: .holding(device))
        #expect(try await published(third) == Array(1...5))
        #expect(await third.epoch == second.epoch)
        #expect(await third.epoch != first.epoch)
    }

    @Test func neverWritesToAForeignFile() async throws {
        let text = Data("members: Ada, Grace\n".utf8)
        try text.write(to: URL(fileURLWithPath: path))
        let recorder = try await recorder()
        await row(recorder, 1...2)
        await recorder.healed()
        #expect(
            await recorder.snapshot().failure == "\(path): not a ring log, and left as it is")
        #expect(try await published(recorder) == [1, 2])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
        try FileManager.default.removeItem(atPath: path)
        #expect(await healed(recorder))
        await recorder.stop()
        try await expect(strokes: 1...2, of: await recorder.epoch, at: path)
    }

    @Test func renamesARingThatCannotBeRead() async throws {
        let epoch = try await { () async throws -> String in
            let first = try await recorder()
            await row(first, 1...3)
            await first.stop()
            return await first.epoch
        }()
        var content = try Data(contentsOf: URL(fileURLWithPath: path))
        content[20] ^= 1
        content[content.count - 4096 + 20] ^= 1
        try content.write(to: URL(fileURLWithPath: path))
        let second = try await recorder()
        #expect(await second.snapshot().failure == nil)
        #expect(await second.epoch != epoch)
        await row(second, 1...1)
        #expect(try await published(second) == [1])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        let renamed = try #require(names.first { $0.hasPrefix("ring.log.damaged-") })
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path(renamed))) == content)
    }

    @Test func declaresRecordsThatDoNotFitIntoMemory() async throws {
        let recorder = try await recorder(folder.path("absent/ring.log"), memoryLimit: 1 << 20)
        var recorded = 0
        while recorded < 6000 {
            await row(recorder, recorded + 1...recorded + 200)
            recorded += 200
        }
        let left = try await published(recorder)
        let lost = await recorder.snapshot().droppedTotal
        #expect(left == Array(recorded - left.count + 1...recorded))
        #expect(lost >= recorded - left.count)
        #expect(left.count > 1000)
        var declared: [[String: Any]] = []
        for record in await recorder.records(after: nil, limit: 10_000).records {
            let fields = try JSONSerialization.jsonObject(with: Data(record.payload))
            guard let fields = fields as? [String: Any] else { continue }
            if fields["stream"] as? String == "erg/erg-1/stroke" { declared.append(fields) }
        }
        #expect(declared.last?["to_seq"] as? Int == recorded - left.count)
        #expect(declared.allSatisfy { $0["reason"] as? String == "overwritten" })
    }

    /// More strokes than may be numbered ahead of the medium, then the process dies and the disk works
    /// again.
    @Test func beginsAnEpochAfterALongFailure() async throws {
        let device = CrashingBlockDevice()
        let first = try await recorder("memory", disk: .holding(device))
        await row(first, 1...2)
        let old = await first.epoch
        device.writeError = EIO
        await row(first, 3...1000)
        #expect(await first.epoch == old)
        await row(first, 1001...1100)
        #expect(await first.epoch != old)
        device.writeError = nil
        let second = try await recorder("memory", disk: .holding(device))
        #expect(await second.epoch == old)
        await row(second, 3...3)
        let birth = await second.birth()
        let stream = StreamID(station: erg, kind: .stroke)
        #expect(birth.nextSequences[stream] == 2 + RecorderState.maximumAhead + 2)
    }
}

extension DiskFailureTests.Refusal {
    fileprivate var writeCode: Int32? {
        switch self {
        case .fullOnWrite: ENOSPC
        case .brokenOnWrite: EIO
        case .brokenOnSync: nil
        }
    }
    fileprivate var syncCode: Int32? { self == .brokenOnSync ? EIO : nil }
}

extension FallbackBlockDevice.FileSystem {
    /// A disk that holds only `device`.
    static func holding(_ device: CrashingBlockDevice) -> Self {
        Self(openForWriting: { _ in device }, openForReading: { _ in device })
    }
}

/// A disk that is mounted read-only for a while.
private final class RemountableDisk: @unchecked Sendable {  // one test, one step at a time
    var isReadOnly = false
    private let device: CrashingBlockDevice

    init(_ device: CrashingBlockDevice) { self.device = device }

    var fileSystem: FallbackBlockDevice.FileSystem {
        FallbackBlockDevice.FileSystem(
            openForWriting: { [self] (path) throws(RingLogError) in
                if isReadOnly { throw RingLogError(.open, code: EROFS, path: path) }
                return device
            },
            openForReading: { [self] _ in device })
    }
}
