import TestSupport
import Testing

@testable import RingLog

/// A ring whose file is written on another queue.
@Suite struct WriteBehindTests {
    /// The disk's queue, whose steps a test controls.
    private final class HeldQueue: @unchecked Sendable {  // one test, one step at a time
        private var waiting: [@Sendable () -> Void] = []

        func add(_ work: @escaping @Sendable () -> Void) { waiting.append(work) }

        /// Does `count` steps, as far as there are any.
        func run(_ count: Int = .max) {
            var done = 0
            while done < count, !waiting.isEmpty {
                waiting.removeFirst()()
                done += 1
            }
        }
    }

    /// The appended records, and how many of them were durable at the last check.
    private struct History {
        var contents: [LogPosition: [UInt8]] = [:]
        var order: [LogPosition] = []
        /// Syncs, each with the records before it.
        var commits: [(sync: UInt64, count: Int)] = []
        var durableCount = 0
    }

    private func open(
        on file: CrashingBlockDevice, _ queue: HeldQueue
    ) throws -> (LogWriter, FallbackBlockDevice)? {
        let disk = FallbackBlockDevice.FileSystem(
            openForWriting: { _ in file }, openForReading: { _ in file })
        let device = FallbackBlockDevice(path: "memory", fileSystem: disk)
        let (writer, _) = try openSmall(device)
        guard device.failure == nil else { return nil }
        device.writeBehind(on: queue.add, onProgress: {})
        return (writer, device)
    }

    /// Two turns of a ring, the disk's queue being as far behind as chance has it.
    private func script(
        on file: CrashingBlockDevice, seed: UInt64
    ) throws -> History {
        var (history, random) = (History(), SeededGenerator(seed: seed))
        let queue = HeldQueue()
        guard let (writer, device) = try open(on: file, queue) else { return history }
        for number in 0..<150 where device.failure == nil {
            let bytes = payload(number, count: [30, 540, 90, 3000][number % 4])
            let position = try writer.append(kind: 1, bytes: bytes)
            history.contents[position] = bytes
            history.order.append(position)
            if number % 2 == 0 { try writer.flush() }
            if number % 5 == 4 {
                try writer.commit()
                history.commits.append((device.progress.ended, history.order.count))
            }
            queue.run(Int.random(in: 0...5, using: &random))
        }
        queue.run(file.stopsAt == .max ? .max : 0)
        let durable = device.progress.durable
        history.durableCount = history.commits.last { $0.sync <= durable }?.count ?? 0
        return history
    }

    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func powerCutDuringCommitsKeepsDurableRecords(loss: CrashingBlockDevice.Loss) throws {
        let whole = CrashingBlockDevice()
        let all = try script(on: whole, seed: 1)
        #expect(all.durableCount == 150 && whole.operations > 80)
        for stop in 1...whole.operations {
            var random = SeededGenerator(seed: UInt64(stop))
            let file = CrashingBlockDevice()
            file.stopsAt = stop
            let history = try script(on: file, seed: 1)
            let left = CrashingBlockDevice(file.content(after: loss, using: &random))
            let (writer, _) = try openSmall(left)
            let records = try readAll(left).records
            for record in records {
                #expect(record.bytes == history.contents[record.position], "stop \(stop)")
            }
            let wanted = history.order.prefix(history.durableCount).filter { $0 >= writer.oldest }
            let found = records.map(\.position)
            #expect(Array(found.prefix(wanted.count)) == wanted, "stop \(stop)")
        }
    }

    @Test func writesSameBytesAsSynchronousDevice() throws {
        let behind = CrashingBlockDevice()
        _ = try script(on: behind, seed: 3)
        let waitedFor = CrashingBlockDevice()
        let (writer, _) = try openSmall(waitedFor)
        for number in 0..<150 {
            try writer.append(
                kind: 1, bytes: payload(number, count: [30, 540, 90, 3000][number % 4]))
            if number % 2 == 0 { try writer.flush() }
            if number % 5 == 4 { try writer.commit() }
        }
        #expect(behind.content == waitedFor.content)
        #expect(behind.rewrittenPages == waitedFor.rewrittenPages)
    }

    @Test func readsFlushedPagesFromMemory() throws {
        let (file, queue) = (CrashingBlockDevice(), HeldQueue())
        let (writer, device) = try #require(try open(on: file, queue))
        try writer.append(kind: 1, bytes: payload(1, count: 300))
        try writer.commit()
        queue.run()
        let operations = file.operations
        for number in 2...9 {
            try writer.append(kind: 1, bytes: payload(number, count: 300))
            try writer.flush()
        }
        #expect(file.operations == operations)
        let records = try readAll(device).records
        #expect(records.map(\.bytes) == (1...9).map { payload($0, count: 300) })
        #expect(device.progress.pendingBytes > 0)
        queue.run()
        try writer.commit()
        queue.run()
        #expect(device.progress.pendingBytes == 0)
        #expect(try readAll(file).records.count == 9)
    }

    @Test(arguments: [true, false])
    func failedFileGetsAllRecordsAfterHealing(onWrite: Bool) throws {
        for first in 1...7 {
            let (file, queue) = (CrashingBlockDevice(), HeldQueue())
            let (writer, device) = try #require(try open(on: file, queue))
            for number in 1...8 {
                if number == first {
                    (file.writeError, file.syncError) = onWrite ? (5, nil) : (nil, 5)
                }
                try writer.append(kind: 1, bytes: payload(number, count: 300))
                try writer.commit()
                if number % 3 == 0 { queue.run() }
            }
            queue.run()
            #expect(device.failure != nil)
            #expect(try readAll(device).records.count == 8)
            (file.writeError, file.syncError) = (nil, nil)
            device.heal()
            #expect(device.progress.isHealing && device.failure != nil)
            try writer.append(kind: 1, bytes: payload(9, count: 300))
            try writer.commit()
            queue.run()
            #expect(device.failure == nil && device.progress.pendingBytes == 0)
            let left = CrashingBlockDevice(file.content(after: .everything))
            #expect(
                try readAll(left).records.map(\.bytes) == (1...9).map { payload($0, count: 300) })
        }
    }

    @Test func diskThatAnswersLateCanBeHealed() throws {
        let (file, queue) = (CrashingBlockDevice(), HeldQueue())
        let (writer, device) = try #require(try open(on: file, queue))
        try writer.append(kind: 1, bytes: payload(1, count: 300))
        try writer.commit()
        device.abandonUnresponsiveFile()
        try writer.append(kind: 1, bytes: payload(2, count: 300))
        try writer.commit()
        #expect(device.failure?.description == "memory: the disk does not answer")
        device.heal()
        queue.run()
        #expect(device.failure == nil)
        #expect(try readAll(file).records.count == 2)
    }
}
