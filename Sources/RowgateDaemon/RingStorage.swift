import Glibc
import HostRuntime
import RingLog
import Rowing

/// The ring that the journal writes to, on disk or, where the disk refuses, in memory.
///
/// Confined to the log queue.
struct RingStorage {
    let device: any BlockDevice
    let writer: LogWriter
    private let report: RecoveryReport
    /// Why records go to memory instead of the configured file; nil when they do not.
    let memoryReason: RingLogError?

    /// Bytes of the ring in memory: minutes of a full room, little enough for a small Pi.
    private static let memoryBytes = 8 << 20

    /// Opens the configured file, or memory when that fails.
    ///
    /// Throws only for a ring of a later version: to record elsewhere would begin a second epoch
    /// beside one that is intact, and a downgrade is a decision for a person.
    static func open(
        _ settings: Configuration.Ring, log: JournalLog
    ) throws(RingLogError) -> RingStorage {
        do throws(RingLogError) {
            let device = try FileBlockDevice.writing(path: settings.path)
            return try open(
                device, geometry: LogGeometry(capacity: settings.sizeBytes), reason: nil)
        } catch {
            if error.isLaterVersion { throw error }
            log.error(
                "the ring log cannot be opened, records go to memory: \(error)",
                event: .ringUnavailable)
            let geometry = LogGeometry(capacity: memoryBytes)
            return try open(MemoryBlockDevice(), geometry: geometry, reason: error)
        }
    }

    private static func open(
        _ device: any BlockDevice, geometry: LogGeometry, reason: RingLogError?
    ) throws(RingLogError) -> RingStorage {
        var randomness = SystemRandomNumberGenerator()
        let epoch = ULID(
            unixMilliseconds: SystemClock.unixMilliseconds(), using: &randomness)
        let (writer, report) = try LogWriter.open(
            device: device, geometry: geometry, newEpoch: epoch.bytes)
        return RingStorage(device: device, writer: writer, report: report, memoryReason: reason)
    }

    /// Brings the newest snapshot up to date with the records behind it.
    func recoverState(log: JournalLog) -> JournalState {
        var state = JournalState()
        if let snapshot = report.snapshot, !snapshot.isEmpty {
            if let decoded = JournalState(decoding: snapshot) {
                state = decoded
            } else {
                log.error("the ring's snapshot is of another version; numbers come from its tail")
            }
        }
        do throws(RingLogError) {
            try replay(onto: &state)
        } catch {
            log.error("the ring's tail could not be read to its end: \(error)")
        }
        describe(log)
        return state
    }

    private func replay(onto state: inout JournalState) throws(RingLogError) {
        var reader = try LogReader(device: device, from: report.tail.lowerBound)
        while let item = try reader.next() {
            guard case .record(let record) = item else { continue }
            switch record.kind {
            case Journal.RecordKind.state:
                if let newer = JournalState(decoding: record.bytes) { state = newer }
            case Journal.RecordKind.entry:
                // An entry that does not decode is a later version's; its numbers are in a snapshot.
                guard let entry = try? JournalEntry.decode(record.bytes) else { continue }
                state.observe(entry, isAcknowledged: record.position < writer.consumed)
            default: continue
            }
        }
    }

    /// The state before the oldest record that the ring still holds; nil when it cannot be read.
    func oldestState() -> JournalState? {
        guard let reader = try? LogReader(device: device),
            let snapshot = try? reader.oldestSnapshot()
        else { return nil }
        return JournalState(decoding: snapshot)
    }

    private func describe(_ log: JournalLog) {
        switch report.origin {
        case .created: log.info("new ring log", [("path", device.path)])
        case .recreated:
            log.error(
                "the file held no readable ring log; a new epoch begins", [("path", device.path)])
        case .existing:
            log.info(
                "ring log opened, \(report.tailRecords) records in its newest segment, "
                    + (report.wasClosed ? "closed in order" : "not closed in order"),
                [("path", device.path)])
        }
        for gap in report.gaps {
            log.warning(
                "damage in the ring: bytes \(gap.range.lowerBound) to \(gap.range.upperBound)",
                event: .ringDamaged)
        }
    }
}

extension RingLogError {
    /// The file is intact, and too new for this program.
    package var isLaterVersion: Bool { operation == .recognize && code == EPROTONOSUPPORT }
}

/// A block device in memory, for records that no disk takes. It is gone with the process.
///
/// Confined to the log queue.
final class MemoryBlockDevice: BlockDevice {
    let path = "memory"
    private var bytes: [UInt8] = []

    func size() -> UInt64 { UInt64(bytes.count) }

    func allocate(size: UInt64) {
        if bytes.count < size {
            bytes.append(contentsOf: repeatElement(0, count: Int(size) - bytes.count))
        }
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let start = min(Int(offset), bytes.count)
        let count = min(buffer.count, bytes.count - start)
        buffer.copyBytes(from: bytes[start..<start + count])
        return count
    }

    func write(at offset: UInt64, bytes source: UnsafeRawBufferPointer) {
        allocate(size: offset + UInt64(source.count))
        bytes.replaceSubrange(Int(offset)..<Int(offset) + source.count, with: source)
    }

    func sync() {}
}
