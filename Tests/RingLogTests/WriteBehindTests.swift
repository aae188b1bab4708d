import TestSupport
import Testing

@testable import RingLog

/// A ring whose file is written by another queue than the one that appends.
@Suite struct WriteBehindTests {
    /// The disk's queue, on which as much is done as a test says.
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

    /// What a writer appended, and how much of it was durable when it was last looked.
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

    // Goal: what was said to be durable is there after a cut at any moment, with commits under way on
    // another queue, and what is there is what was written. Method: two turns of a ring, whose disk
    // does a chance number of steps behind each record and stops at each of its operations.
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func anyCutWithCommitsUnderWay(loss: CrashingBlockDevice.Loss) throws {
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

    // Goal: the file passes through the states that it would pass through if its writer waited for
    // it, so that at most one block of it is not durable. Method: the same ring with and without a
    // queue; the operations on the file, and its bytes.
    @Test func theFileGetsTheSame() throws {
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

    // Goal: whoever reads sees what was flushed at once, without the file. Method: the disk does
    // nothing, and cannot be read.
    @Test func whatWasFlushedIsReadFromMemory() throws {
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

    // Goal: a file that fails behind its writer's back gets everything in the end, what was written
    // while it was being brought there included. Method: writes and syncs fail at each operation for
    // a while; the attempt to heal is interrupted by new records; then the power is cut.
    @Test(arguments: [true, false])
    func aFileThatFailsBehind(onWrite: Bool) throws {
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

    // Goal: a disk that was given up and answers after all is one that can be healed. Method: given up
    // with a step under way, which then succeeds.
    @Test func aDiskThatAnswersLate() throws {
        let (file, queue) = (CrashingBlockDevice(), HeldQueue())
        let (writer, device) = try #require(try open(on: file, queue))
        try writer.append(kind: 1, bytes: payload(1, count: 300))
        try writer.commit()
        device.giveUp()
        try writer.append(kind: 1, bytes: payload(2, count: 300))
        try writer.commit()
        #expect(device.failure?.description == "memory: the disk does not answer")
        device.heal()
        queue.run()
        #expect(device.failure == nil)
        #expect(try readAll(file).records.count == 2)
    }
}
