import Contract
import Glibc
import HostRuntime
import RingLog
import Timeline

/// The ring that the recorder writes to: a file, or memory while the disk refuses one.
///
/// Confined to the log queue.
struct RingStorage: @unchecked Sendable {  // made by one thread, then confined to the log queue
    let device: FallbackBlockDevice
    let writer: LogWriter
    private let report: RecoveryReport
    let runtime: any Runtime

    /// Opens the configured file, or memory if that fails.
    ///
    /// Throws only for a ring of a later version: recording elsewhere would start a second epoch
    /// while the ring is intact, and a downgrade is a decision for a person.
    static func open(
        _ path: String, geometry: LogGeometry, fileSystem: FallbackBlockDevice.FileSystem = .init(),
        runtime: any Runtime, log: SystemLog
    ) throws(RingLogError) -> RingStorage {
        var device = FallbackBlockDevice(path: path, fileSystem: fileSystem)
        do throws(RingLogError) {
            return try open(device, geometry: geometry, runtime: runtime)
        } catch {
            if error.isLaterVersion { throw error }
            if error.code == EUCLEAN, device.setAside(at: runtime, log: log) {
                device = FallbackBlockDevice(path: path, fileSystem: fileSystem)
            } else {
                device.abandonFile(because: error)
            }
            return try open(device, geometry: geometry, runtime: runtime)
        }
    }

    /// Opens the content of `device`.
    static func open(
        _ device: FallbackBlockDevice, geometry: LogGeometry, runtime: any Runtime
    ) throws(RingLogError) -> RingStorage {
        let (writer, report) = try LogWriter.open(
            device: device, geometry: geometry, newEpoch: runtime.makeULID().bytes)
        return RingStorage(device: device, writer: writer, report: report, runtime: runtime)
    }

    /// Whether the ring is new.
    var isNew: Bool { report.origin == .created }

    /// Bytes of an interrupted write.
    var tornBytes: UInt64 { UInt64(report.tornBytes) }

    /// Where to start copying this ring into another one: the unpublished records, and as many
    /// before them as memory would hold.
    var firstToRescue: LogPosition {
        let end = writer.end.rawValue
        let back = end - min(end, UInt64(device.memoryLimit))
        return max(writer.oldest, min(writer.consumed, LogPosition(rawValue: back)))
    }

    /// Drops the oldest pages that do not fit into memory; `lost` receives their positions before.
    func limitMemory(_ lost: (Range<LogPosition>) -> Void) {
        while device.memoryBytes > device.memoryLimit, let offset = device.oldestInMemory,
            let positions = writer.positions(ofFileOffset: offset)
        {
            let firstUnread = max(positions.lowerBound, writer.consumed)
            if firstUnread < positions.upperBound { lost(firstUnread..<positions.upperBound) }
            writer.consumed = positions.upperBound
            device.forget(positions, of: writer.geometry)
        }
    }

    /// Updates the newest snapshot with the records behind it.
    func recoverState(log: SystemLog) -> RecorderState {
        var state = RecorderState()
        if let snapshot = report.snapshot, !snapshot.isEmpty {
            if let decoded = RecorderState(decoding: snapshot) {
                state = decoded
            } else {
                log.error("the ring's snapshot does not decode; numbers come from its tail")
            }
        }
        do throws(RingLogError) {
            try replay(onto: &state)
        } catch {
            log.error("the ring's tail could not be read to its end: \(error)")
        }
        do throws(RingLogError) {
            try writePendingEntries(of: &state)
        } catch {
            log.error("the end of a session could not be completed: \(error)")
        }
        if state.epoch.isEmpty {
            state.epoch = ULID(bytes: writer.epoch)?.description ?? "unknown"
        }
        return state
    }

    /// - Parameter highWater: the numbers that the last process had assigned, if known.
    func previousStop(highWater: RecorderState?) -> PreviousStop {
        if isNew { return .newRing }
        if report.wasClosed { return .inOrder }
        return highWater.map { .killed(highWater: $0, tornBytes: tornBytes) }
            ?? .powerCut(tornBytes: tornBytes)
    }

    private func replay(onto state: inout RecorderState) throws(RingLogError) {
        var reader = try writer.view.reader(from: report.tail.lowerBound)
        while let item = try reader.next() {
            guard case .record(let record) = item else { continue }
            switch record.kind {
            case RingRecordKind.state:
                if let newer = RecorderState(decoding: record.bytes) {
                    state = state.replaced(by: newer)
                }
            case RingRecordKind.entry:
                // An entry that cannot be decoded was written by a later version; a snapshot has
                // its numbers.
                guard let entry = try? RingEntry.decode(record.bytes) else { continue }
                state.observe(entry, isAcknowledged: record.position < writer.consumed)
            default: continue
            }
        }
    }

    /// Writes the pending entries that the last process did not write: the rest of a session's
    /// edge. If this is interrupted, the next process writes the remaining ones.
    private func writePendingEntries(of state: inout RecorderState) throws(RingLogError) {
        guard !state.pendingEntries.isEmpty else { return }
        var current = state
        writer.snapshot = { [limit = writer.geometry.maximumSnapshotSize] in
            current.encode(atMost: limit)
        }
        defer {
            writer.snapshot = { [] }
            state = current
        }
        while let bytes = current.pendingEntries.first {
            try writer.append(kind: RingRecordKind.entry, bytes: bytes)
            if let entry = try? RingEntry.decode(bytes) {
                current.observe(entry, isAcknowledged: false)
            } else {
                current.pendingEntries.removeFirst()
            }
        }
        try writer.commit()
    }

    /// Logs the result of opening the ring.
    func describe(_ previousStop: PreviousStop, _ log: SystemLog) {
        log.info("\(device.path) is open; \(previousStop.description)", [("path", device.path)])
        for gap in report.gaps {
            log.warning(
                "damaged from byte \(gap.range.lowerBound) to \(gap.range.upperBound); skipping "
                    + "its records",
                event: .ringDamaged)
        }
    }
}

extension FallbackBlockDevice {
    /// Renames a ring that cannot be read, so that a person may still recover data from it.
    func setAside(at clock: any Clock, log: SystemLog) -> Bool {
        let name = "\(path).damaged-\(clock.unixMilliseconds())"
        do throws(RingLogError) {
            try fileSystem.rename(path, name)
            log.error(
                "damaged beyond reading; saved as \(name); starting a new ring",
                [("kept", name)])
            return true
        } catch {
            log.error("\(error)")
            return false
        }
    }
}

extension RingLogError {
    /// The file is intact, and too new for this program.
    package var isLaterVersion: Bool { operation == .recognize && code == EPROTONOSUPPORT }
}

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

/// An opened ring: its storage, and the state from which to continue.
struct OpenedRing {
    private(set) var storage: RingStorage
    private(set) var state: RecorderState
    let previousStop: PreviousStop
    private(set) var highWater: SequenceHighWater?

    /// - Parameters:
    ///   - highWater: nil if the end of the last process must be treated like a power cut.
    ///   - bootID: of this boot.
    init(_ storage: RingStorage, highWater: SequenceHighWater?, bootID: String, log: SystemLog) {
        self.storage = storage
        self.highWater = highWater
        let recovered = storage.recoverState(log: log)
        var known = highWater?.read(bootID: bootID)
        if known?.epoch != recovered.epoch { known = nil }
        previousStop = storage.previousStop(highWater: known)
        state = recovered.recoveringNumbers(after: previousStop)
        storage.describe(previousStop, log)
    }

    /// Changes the size of the ring if it differs; on failure the ring stays as it is.
    ///
    /// Throws only if a ring of a later version has appeared at the path meanwhile.
    mutating func resize(to wanted: LogGeometry, log: SystemLog) throws(RingLogError) {
        guard let resized = try storage.resized(to: wanted, state: state, log: log) else { return }
        // The state already contains the high-water marks.
        if highWater != nil {
            highWater?.remove()
            highWater = SequenceHighWater(ofRing: resized.device.path)
        }
        storage = resized
        state = resized.recoverState(log: log)
    }
}

/// How the previous process on this ring ended, and therefore which numbers it may have assigned
/// beyond those in the ring.
enum PreviousStop: Equatable {
    /// There was no previous process.
    case newRing
    /// It closed the ring, which holds every assigned number.
    case inOrder
    /// It died on this boot. The last assigned numbers are known.
    case killed(highWater: RecorderState, tornBytes: UInt64)
    /// The last assigned numbers are unknown: a power cut, another end of the boot, or no place to
    /// store them.
    case powerCut(tornBytes: UInt64)

    /// The event published about it; nil if nothing can be missing.
    var declaration: GatewayEvent? {
        switch self {
        case .newRing, .inOrder: nil
        case .killed(_, let tornBytes), .powerCut(let tornBytes):
            .ringRecovered(droppedBytes: tornBytes, reason: "the log was not closed in order")
        }
    }

    /// Description for the log.
    var description: String {
        switch self {
        case .newRing: "it is new"
        case .inOrder: "the last stop was in order"
        case .killed: "rowgate was killed before"
        case .powerCut: "the last stop was a power cut or is unknown"
        }
    }
}
