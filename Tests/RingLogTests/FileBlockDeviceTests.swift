import Glibc
import TestSupport
import Testing

@testable import RingLog

@Suite struct FileBlockDeviceTests {
    @Test func aFileRingOutlivesItsWriter() throws {
        // The same ring over real files: size, lock, a reader beside the writer, and a second
        // opening.
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
            let beside = try FileBlockDevice.reading(path: file.path)
            #expect(try readAll(beside).records.map(\.bytes) == [[1, 2, 3]])
            try writer.close()
        }
        let (_, report) = try openSmall(try FileBlockDevice.writing(path: file.path))
        #expect(report.wasClosed && report.tailRecords == 1)
    }

    @Test func aDeletedFileIsNoticed() throws {
        // The ring is deleted under its writer: the next commit fails instead of writing into
        // nothing.
        let file = try TemporaryFile()
        let (writer, _) = try openSmall(try FileBlockDevice.writing(path: file.path))
        unlink(file.path)
        #expect(throws: RingLogError(.sync, code: ENOENT, path: file.path)) {
            try writer.append(kind: 1, bytes: [1])
            try writer.commit()
        }
    }

    @Test func errorsNameOperationAndPath() throws {
        // What an operator reads: a path that is no file, and one that is absent.
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

    #if compiler(>=6.2)
    @Test func aKilledProcessLosesNothingItFlushed() async throws {
        // SIGKILL after a flush, nothing ever synced but the anchor: a fresh process reads every
        // record.
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

/// A path in a directory of its own, removed with this object.
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
