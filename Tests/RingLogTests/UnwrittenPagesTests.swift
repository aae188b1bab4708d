import Glibc
import Synchronization
import TestSupport
import Testing

@testable import RingLog

/// Pages that the disk's queue of a killed process had not passed to the kernel.
struct UnwrittenPagesTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("ring.log") }
    private static let geometry = LogGeometry(capacity: 4 << 20)

    init() throws { folder = try TemporaryFolder() }

    /// Work for a disk that has stopped to answer.
    private final class StalledQueue: Sendable {
        private let work = Mutex<[@Sendable () -> Void]>([])
        let isStalled = Mutex(false)

        func add(_ body: @escaping @Sendable () -> Void) {
            if isStalled.withLock({ $0 }) { work.withLock { $0.append(body) } } else { body() }
        }

        /// Whatever it was given is never done.
        func die() { work.withLock { $0 = [] } }

        func answer() {
            isStalled.withLock { $0 = false }
            while let next = work.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { next() }
        }
    }

    private func open() throws -> (FallbackBlockDevice, LogWriter) {
        let device = FallbackBlockDevice(path: path)
        let (writer, _) = try LogWriter.open(
            device: device, geometry: Self.geometry, newEpoch: Array(0..<16))
        return (device, writer)
    }

    private func records() throws -> [UInt8] {
        var reader = try LogReader(device: try FileBlockDevice.reading(path: path))
        var found: [UInt8] = []
        while let item = try reader.next() {
            guard case .record(let record) = item else { continue }
            found.append(record.bytes[0])
        }
        return found
    }

    /// A life that ends with `numbers` flushed, and its disk having stalled behind the first few.
    private func live(_ numbers: ClosedRange<UInt8>, stallingAfter last: UInt8) throws {
        let (device, writer) = try open()
        let queue = StalledQueue()
        device.writeBehind(on: queue.add, onProgress: {})
        for number in numbers {
            try writer.append(kind: LogFormat.callerKinds.lowerBound, bytes: [number])
            try writer.flush()
            if number % 3 == 0 { try writer.commit() }
            if number == last { queue.isStalled.withLock { $0 = true } }
        }
        queue.die()
    }

    @Test func flushedRecordsSurviveKillDuringStall() throws {
        try live(1...10, stallingAfter: 4)
        #expect(try records().count < 10, "the kill has taken something")
        try live(11...20, stallingAfter: 11)
        try live(21...30, stallingAfter: 30)
        _ = try open()
        #expect(try records() == Array(1...30))
    }

    @Test func pagesWaitForTheCommit() throws {
        let (device, writer) = try open()
        device.writeBehind(on: StalledQueue().add, onProgress: {})
        var sizes: [Int] = []
        for _ in 1...64 {
            try writer.append(
                kind: LogFormat.callerKinds.lowerBound, bytes: Array(repeating: 7, count: 4000))
            try writer.flush()
            sizes.append(try stored())
        }
        #expect(sizes.first ?? 0 > 0)
        #expect(sizes.contains(0), "a part was given to the file without a commit")
        try writer.commit()
        #expect(try stored() == 0)
        #expect(try records().count == 64)
    }

    @Test func writtenPagesAreRemoved() throws {
        let (device, writer) = try open()
        let queue = StalledQueue()
        device.writeBehind(on: queue.add, onProgress: {})
        func append(_ number: UInt8) throws {
            try writer.append(kind: LogFormat.callerKinds.lowerBound, bytes: [number])
            try writer.flush()
        }
        try append(1)
        try writer.commit()
        #expect(try stored() == 0)
        queue.isStalled.withLock { $0 = true }
        try append(2)
        #expect(try stored() > 0)
        device.abandonUnresponsiveFile()
        try append(3)
        #expect(try stored() == 0)
        queue.answer()
        #expect(device.heal())
        try append(4)
        try writer.commit()
        #expect(try stored() == 0)
        #expect(try records() == [1, 2, 3, 4])
        device.removeUnwrittenPages()
    }

    /// Bytes kept for the ring.
    private func stored() throws -> Int {
        var file = stat()
        try #require(stat(path, &file) == 0)
        let directory = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) } ?? "/dev/shm"
        let copy = "\(directory)/rowgate-unwritten-\(file.st_dev)-\(file.st_ino)"
        try #require(stat(copy, &file) == 0)
        return Int(file.st_size)
    }
}
