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
