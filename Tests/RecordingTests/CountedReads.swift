import RingLog
import TestSupport

/// Counts how much the log queue reads of files in one turn.
final class CountedReads: @unchecked Sendable {  // used only on the loop's thread
    /// Maximum bytes per turn of the log queue: the records since the last commit, and one or two
    /// windows of the ring. After a kill also two segments and each segment's header.
    static let limit = 2 << 20

    /// The maximum bytes that one turn has read.
    var most = 0
    private var (turn, count) = (0, 0)
    private let machine: SteppedRuntime

    init(_ machine: SteppedRuntime) { self.machine = machine }

    /// Returns `files` with counted reads.
    func counting(_ files: FallbackBlockDevice.FileSystem) -> FallbackBlockDevice.FileSystem {
        FallbackBlockDevice.FileSystem(
            openForWriting: { [self] (path) throws(RingLogError) in
                Device(try files.openForWriting(path), self)
            },
            openForReading: { [self] (path) throws(RingLogError) in
                Device(try files.openForReading(path), self)
            }, rename: files.rename, remove: files.remove)
    }

    fileprivate func note(_ bytes: Int) {
        guard let now = machine.turn, now.queue == "rowgate.log" else { return }
        if now.number != turn { (turn, count) = (now.number, 0) }
        count += bytes
        most = max(most, count)
    }

    private final class Device: BlockDevice {
        private let file: any BlockDevice
        private let counter: CountedReads

        init(_ file: any BlockDevice, _ counter: CountedReads) {
            (self.file, self.counter) = (file, counter)
        }

        var path: String { file.path }
        var isInPlace: Bool { file.isInPlace }

        func size() throws(RingLogError) -> UInt64 { try file.size() }

        func allocate(size: UInt64) throws(RingLogError) { try file.allocate(size: size) }

        func read(
            at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
        ) throws(RingLogError) -> Int {
            counter.note(buffer.count)
            return try file.read(at: offset, into: buffer)
        }

        func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError) {
            try file.write(at: offset, bytes: bytes)
        }

        func sync() throws(RingLogError) { try file.sync() }
    }
}
