import Glibc
import RingLog

/// Files in memory, by name, on a disk that can be away, full, or lose its power.
package final class MemoryDisk: @unchecked Sendable {  // one test, one step at a time
    package var isAway = false
    /// Bytes of all files together at most.
    package var limit = Int.max
    /// New files stop at this operation; a disk on which one has stopped is dead.
    package var newFilesStopAt = Int.max
    private var files: [String: CrashingBlockDevice] = [:]

    package init() {}

    /// Creates the state of another disk after a power cut.
    package init(_ other: MemoryDisk, loss: CrashingBlockDevice.Loss, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for (name, file) in other.files {
            files[name] = CrashingBlockDevice(file.content(after: loss, using: &random))
        }
    }

    /// A power cut: loses unsynced writes. Open files stay open for the stopped process only.
    package func losePower(_ loss: CrashingBlockDevice.Loss, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for name in names { files[name]?.losePower(loss, using: &random) }
    }

    package var names: [String] { files.keys.sorted() }
    package func size(_ name: String) -> Int { files[name]?.content.count ?? 0 }
    package func bytes(_ name: String) -> [UInt8] { files[name]?.content ?? [] }
    package func operations(_ name: String) -> Int { files[name]?.operations ?? 0 }

    package func fail(writing code: Int32?) { for file in files.values { file.writeError = code } }

    package func damage(_ name: String, at offsets: [Int]) {
        var content = files[name]?.content ?? []
        for offset in offsets { content[offset] ^= 1 }
        files[name] = CrashingBlockDevice(content)
    }

    /// Replaces the disk, so that the file on it is not the open one.
    package func replug(_ name: String) {
        files[name] = files[name].map { CrashingBlockDevice($0.content) }
    }

    /// Deletes the file; open descriptors continue to use it.
    package func delete(_ name: String) { files[name] = nil }

    /// Truncates the open file to zero.
    package func truncate(_ name: String) { files[name]?.truncate() }

    /// Replaces the disk by an empty one; open descriptors fail to read.
    package func exchange(_ name: String) {
        files.removeValue(forKey: name)?.failReads()
    }

    fileprivate func isInPlace(_ file: CrashingBlockDevice) -> Bool {
        !isAway && files.values.contains { $0 === file }
    }

    private var isDead: Bool { files.values.contains { $0.operations >= $0.stopsAt } }

    package var fileSystem: FallbackBlockDevice.FileSystem {
        FallbackBlockDevice.FileSystem(
            openForWriting: { [self] (path) throws(RingLogError) in
                if isAway { throw RingLogError(.open, code: ENOENT, path: path) }
                return LimitedFile(file(path), on: self)
            },
            openForReading: { [self] (path) throws(RingLogError) in
                if isAway { throw RingLogError(.open, code: ENOENT, path: path) }
                return file(path)
            },
            rename: { [self] (path, name) throws(RingLogError) in
                if isDead { throw RingLogError(.rename, code: EIO, path: path) }
                files[name] = files.removeValue(forKey: path)
            },
            remove: { [self] (path) throws(RingLogError) in
                if isDead { throw RingLogError(.remove, code: EIO, path: path) }
                files[path] = nil
            })
    }

    private func file(_ name: String) -> CrashingBlockDevice {
        if let file = files[name] { return file }
        let file = CrashingBlockDevice()
        file.stopsAt = newFilesStopAt
        files[name] = file
        return file
    }

    fileprivate var used: Int { files.values.reduce(0) { $0 + $1.content.count } }
}

/// A file for which there may be no room.
private final class LimitedFile: BlockDevice {
    private let file: CrashingBlockDevice
    private let disk: MemoryDisk

    init(_ file: CrashingBlockDevice, on disk: MemoryDisk) {
        self.file = file
        self.disk = disk
    }

    var path: String { file.path }
    var isInPlace: Bool { disk.isInPlace(file) }

    package func size() throws(RingLogError) -> UInt64 { try file.size() }

    package func allocate(size: UInt64) throws(RingLogError) {
        let missing = Int(size) - file.content.count
        guard missing <= 0 || disk.used + missing <= disk.limit else {
            throw RingLogError(.allocate, code: ENOSPC, path: path)
        }
        try file.allocate(size: size)
    }

    package func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int {
        try file.read(at: offset, into: buffer)
    }

    package func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError) {
        try file.write(at: offset, bytes: bytes)
    }

    package func sync() throws(RingLogError) { try file.sync() }
}
