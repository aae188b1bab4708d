import Contract
import Glibc
import HostRuntime
import RingLog
import Timeline

/// Applies a changed `ring.size_mib`: LogFormat.md, Another size.
extension RingStorage {
    /// Moves the ring into a file of geometry `wanted`, with the newest records that fit. Returns
    /// nil if the ring stays as it is.
    ///
    /// - Parameter state: the recovered state; it becomes the last record of the new file.
    func resized(
        to wanted: LogGeometry, state: RecorderState, log: SystemLog
    ) throws(RingLogError) -> RingStorage? {
        guard device.failure == nil else { return nil }
        let temporaryPath = device.path + ".resizing"
        do throws(RingLogError) {
            // An interrupted earlier attempt leaves one.
            try device.fileSystem.remove(temporaryPath)
            guard writer.geometry != wanted else { return nil }
            try move(to: temporaryPath, wanted, state)
        } catch {
            log.warning(
                "ring.size_mib = \(wanted.capacity >> 20) was not applied; the ring stays at "
                    + "\(writer.geometry.capacity >> 20) MiB; resizing needs space for both files: \(error)",
                [("path", device.path)])
            return nil
        }
        log.notice(
            "the ring has been moved to \(wanted.capacity >> 20) MiB from "
                + "\(writer.geometry.capacity >> 20) MiB", [("path", device.path)])
        return try Self.open(
            device.path, geometry: wanted, fileSystem: device.fileSystem,
            runtime: runtime, log: log)
    }

    /// Fills a file at `temporaryPath`, and renames it to the ring's path once it is complete.
    private func move(
        to temporaryPath: String, _ wanted: LogGeometry, _ state: RecorderState
    ) throws(RingLogError) {
        do throws(RingLogError) {
            let file = try device.fileSystem.openForWriting(temporaryPath)
            try copyRecords(to: BulkDevice(file), wanted, state)
            try file.sync()
            try device.fileSystem.rename(temporaryPath, device.path)
        } catch {
            // The file would occupy the missing space.
            try device.fileSystem.remove(temporaryPath)
            throw error
        }
    }

    /// Copies everything that fits, then `state`, and closes the ring.
    private func copyRecords(
        to file: BulkDevice, _ wanted: LogGeometry, _ state: RecorderState
    ) throws(RingLogError) {
        let (target, _) = try LogWriter.open(
            device: file, geometry: wanted, newEpoch: runtime.makeULID().bytes)
        let start = firstToKeep(in: wanted)
        var earlier =
            try LogReader(device: device).snapshot(ofSegmentAt: start)
            .flatMap(RecorderState.init(decoding:)) ?? RecorderState()
        earlier.undeclared = state.undeclared
        let transfer = RingTransfer(into: target, state: earlier, isSameRecorder: true)
        try transfer.skip(writer.consumed..<max(start, writer.consumed), of: writer.view)
        var reported = runtime.now()
        _ = try transfer.copy(
            writer.view, from: start, unpublishedFrom: writer.consumed
        ) { _ in
            guard reported.duration(to: runtime.now()) > .seconds(5) else { return }
            reported = runtime.now()
            ServiceNotifier.extendTimeout(by: .seconds(60))
        }
        try transfer.finish(through: state)
        let last = transfer.relocated(state).declaring(transfer.losses)
        try target.append(kind: RingRecordKind.state, bytes: last.encode())
        try target.close()
    }

    /// The start of the oldest segment that fits, with all newer ones, into a ring of geometry
    /// `wanted`, without its own newest segment overwriting any.
    private func firstToKeep(in wanted: LogGeometry) -> LogPosition {
        let room = wanted.capacity - UInt64(wanted.segmentSize)
        let size = UInt64(writer.geometry.segmentSize)
        let newest = writer.end.rawValue / size
        let segments = max(room / size, 1)
        return max(
            writer.oldest, LogPosition(rawValue: (newest + 1 - min(segments, newest + 1)) * size))
    }
}

/// A file that is unused until it is complete: a single sync at the end is enough.
private final class BulkDevice: BlockDevice {
    private let file: any BlockDevice

    init(_ file: any BlockDevice) { self.file = file }

    var path: String { file.path }

    func size() throws(RingLogError) -> UInt64 { try file.size() }

    func allocate(size: UInt64) throws(RingLogError) { try file.allocate(size: size) }

    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int {
        try file.read(at: offset, into: buffer)
    }

    func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError) {
        try file.write(at: offset, bytes: bytes)
    }

    func sync() {}
}
