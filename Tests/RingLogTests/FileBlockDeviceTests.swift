import Glibc
import TestSupport
import Testing

@testable import RingLog

@Suite struct FileBlockDeviceTests {
    @Test func fileRingSurvivesItsWriter() throws {
        // A real file: size, lock, a concurrent reader, and a second opening.
        let file = try TemporaryFile()
        do {
            let device = try FileBlockDevice.writing(path: file.path)
            let (writer, _) = try openSmall(device)
            #expect(try device.size() == smallGeometry.fileSize)
            #expect(throws: RingLogError(.lock, code: EWOULDBLOCK, path: file.path)) {
                try FileBlockDevice.writing(path: file.path)
            }
            try writer.append(kind: 1, bytes: [1, 2, 3])
            try writer.flush()
            let concurrentReader = try FileBlockDevice.reading(path: file.path)
            #expect(try readAll(concurrentReader).records.map(\.bytes) == [[1, 2, 3]])
            try writer.close()
        }
        let (_, report) = try openSmall(try FileBlockDevice.writing(path: file.path))
        #expect(report.wasClosed && report.tailRecords == 1)
    }

    @Test func commitFailsIfFileIsDeleted() throws {
        let file = try TemporaryFile()
        let (writer, _) = try openSmall(try FileBlockDevice.writing(path: file.path))
        unlink(file.path)
        #expect(throws: RingLogError(.sync, code: ENOENT, path: file.path)) {
            try writer.append(kind: 1, bytes: [1])
            try writer.commit()
        }
    }

    @Test func errorsStateOperationAndPath() throws {
        // A path that is not a file, and a missing one.
        let error = RingLogError(.open, code: ENOENT, path: "/nowhere/ring")
        #expect(throws: error) { try FileBlockDevice.reading(path: "/nowhere/ring") }
        #expect(error.description == "/nowhere/ring: open: No such file or directory")
        #expect(throws: RingLogError(.open, code: EISDIR, path: "/tmp")) {
            try FileBlockDevice.writing(path: "/tmp")
        }
        let file = try TemporaryFile()
        _ = try FileBlockDevice.writing(path: file.path)
        #expect(throws: RingLogError(.recognize, code: ENOTSUP, path: file.path)) {
            try readAll(try FileBlockDevice.reading(path: file.path))
        }
    }

    @Test func openingReadsHeadersAndOneSegment() throws {
        // Recovery of a ring of 256 MiB after a kill, counted in reads.
        for capacity in [4 << 20, 256 << 20] {
            let file = try TemporaryFile()
            let geometry = LogGeometry(capacity: capacity)
            let device = CountingBlockDevice(try FileBlockDevice.writing(path: file.path))
            do {
                let (writer, _) = try LogWriter.open(
                    device: device, geometry: geometry, newEpoch: epoch)
                for number in 0..<300 {
                    try writer.append(kind: 1, bytes: payload(number, count: 7000))
                }
                try writer.commit()
            }
            (device.reads, device.bytesRead) = (0, 0)
            let (_, report) = try LogWriter.open(
                device: device, geometry: geometry, newEpoch: epoch)
            #expect(!report.wasClosed && report.tailRecords > 10)
            #expect(device.reads < 2 * geometry.segmentCount + 100)
            #expect(device.bytesRead < geometry.segmentCount * 4096 * 2 + 4 * geometry.segmentSize)
        }
    }

    @Test func preparesNewSpaceOnce() throws {
        // On ext4, writes to prepared space are cheaper. Each commit prepares a part, never where
        // records are.
        let file = try TemporaryFile()
        let geometry = LogGeometry(segmentSize: 1 << 20, segmentCount: 4)
        let device = CountingBlockDevice(try FileBlockDevice.writing(path: file.path))
        let (writer, _) = try LogWriter.open(device: device, geometry: geometry, newEpoch: epoch)
        try writer.append(kind: 1, bytes: [1])
        for number in 0..<20 {
            try writer.prepareAhead(limit: 256 << 10)
            try writer.append(kind: 1, bytes: payload(number, count: 5000))
            try writer.commit()
        }
        let rest = try device.prepare(0..<geometry.fileSize, limit: 1 << 30)
        #expect(rest == nil, "no hole is left, or the file system shows none")
        let (records, gaps) = try readAll(device)
        #expect(records.count == 21 && gaps.isEmpty)
    }

    #if compiler(>=6.2)
    @Test func killedProcessLosesNoFlushedRecord() async throws {
        // SIGKILL after a flush; only the anchor was synced.
        let file = try TemporaryFile()
        setenv("RINGLOG_KILLED_PATH", file.path, 1)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let path = try #require(getenv("RINGLOG_KILLED_PATH").map { String(cString: $0) })
            let (writer, _) = try openSmall(try FileBlockDevice.writing(path: path))
            for number in 0..<20 {
                try writer.append(kind: 3, bytes: payload(number, count: 200))
                try writer.flush()
            }
            kill(getpid(), SIGKILL)
        }
        let (records, gaps) = try readAll(try FileBlockDevice.reading(path: file.path))
        #expect(records.map(\.bytes) == (0..<20).map { payload($0, count: 200) })
        #expect(gaps.isEmpty)
        let (writer, report) = try openSmall(try FileBlockDevice.writing(path: file.path))
        #expect(!report.wasClosed && report.tailRecords == 20)
        let last = try #require(records.last)
        #expect(try writer.append(kind: 3, bytes: [1]) > last.position)
    }
    #endif
}

/// Counts the reads of another device.
private final class CountingBlockDevice: BlockDevice {
    private let device: any BlockDevice
    var reads = 0
    var bytesRead = 0

    init(_ device: any BlockDevice) { self.device = device }

    var path: String { device.path }
    func size() throws(RingLogError) -> UInt64 { try device.size() }
    func allocate(size: UInt64) throws(RingLogError) { try device.allocate(size: size) }
    func sync() throws(RingLogError) { try device.sync() }

    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int {
        let count = try device.read(at: offset, into: buffer)
        reads += 1
        bytesRead += count
        return count
    }

    func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError) {
        try device.write(at: offset, bytes: bytes)
    }

    func prepare(_ range: Range<UInt64>, limit: Int) throws(RingLogError) -> UInt64? {
        try device.prepare(range, limit: limit)
    }
}

/// A path in a private directory, removed with this object.
final class TemporaryFile {
    let path: String
    private let directory: String

    init() throws {
        var template = Array("/tmp/ringlog-XXXXXX".utf8CString)
        directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        path = directory + "/ring"
    }

    deinit {
        unlink(path)
        rmdir(directory)
    }
}
