import Contract
import RingLog
import Timeline

/// The content of a ring record.
enum LogEntry: Equatable, Sendable {
    case message(DurableMessage)
    /// A value that travelled between gateway and monitor.
    case raw(RawNotification)
    /// A checkpoint of a session, or the state of the recorder.
    case bookkeeping
    /// Of a later version of the daemon.
    case unknown
    /// Its checksum is valid, but its content is not.
    case malformed
}

/// An item of a scan, in the order of writing.
enum LogScanItem: Equatable, Sendable {
    case entry(LogEntry, at: LogPosition)
    case gap(LogGap)
}

/// Reads a ring from one end to the other, a record at a time: memory does not grow with the ring.
struct LogScan: ~Copyable {
    private var reader: LogReader
    /// The start of the oldest segment.
    let oldest: LogPosition
    private let end: LogPosition
    /// Whether no record of the ring is left out.
    let isWhole: Bool

    /// Starts with the oldest record, or so many segments before the newest one.
    init(_ file: LogFile, lastSegments: Int? = nil) throws(RingLogError) {
        let headers = try LogReader(device: file.device)
        let newest = try headers.segmentStart { _ in true }
        let size = UInt64(headers.geometry.segmentSize)
        let oldest = headers.position
        let back = min(newest.rawValue, UInt64(lastSegments ?? Int(UInt32.max)) * size)
        let from = max(oldest, LogPosition(rawValue: newest.rawValue - back))
        let opened = try LogReader(device: file.device, from: from == oldest ? nil : from)
        reader = opened
        self.oldest = oldest
        end = LogPosition(rawValue: newest.rawValue + size)
        isWhole = from == oldest
    }

    /// ULID of the ring's life, `unknown` where its bytes are none.
    var epoch: String { ULID(bytes: reader.epoch)?.description ?? "unknown" }
    var geometry: LogGeometry { reader.geometry }
    /// Behind the last record read.
    var position: LogPosition { reader.position }

    /// 0...1; the newest segment is seldom full, so that a scan ends somewhat earlier.
    var progress: Double {
        let (done, all) = (reader.position.rawValue, end.rawValue)
        guard done > oldest.rawValue, all > oldest.rawValue else { return 0 }
        return min(1, Double(done - oldest.rawValue) / Double(all - oldest.rawValue))
    }

    /// Returns nil at the end; a later call returns newer records.
    mutating func next() throws(RingLogError) -> LogScanItem? {
        guard let item = try reader.next() else { return nil }
        switch item {
        case .gap(let gap): return .gap(gap)
        case .record(let record): return .entry(LogEntry(record), at: record.position)
        }
    }

    /// Whether the last record reports a normal stop of the daemon, once `next` has returned nil.
    var endsClosed: Bool { reader.endsClosed }

    /// Whether broken bytes follow the last record, once `next` has returned nil.
    func hasTornEnd() throws(RingLogError) -> Bool { try reader.hasTornEnd() }

    /// Where the unpublished records begin, as far as that is stored: a running daemon is ahead.
    static func storedCursor(of file: LogFile) throws(RingLogError) -> LogPosition {
        let headers = try LogReader(device: file.device)
        let opening = try headers.openingCursor()
        let start = try headers.segmentStart { _ in true }
        var reader = try LogReader(device: file.device, from: start)
        while try reader.next() != nil {}
        return max(opening, reader.consumed)
    }
}

extension LogEntry {
    init(_ record: LogRecord) {
        switch record.kind {
        case RingRecordKind.state: self = .bookkeeping
        case RingRecordKind.entry:
            do throws(RingEntryError) {
                self =
                    switch try RingEntry.decode(record.bytes) {
                    case .message(let message): .message(message)
                    case .notification(let raw): .raw(raw)
                    case .checkpoint: .bookkeeping
                    case nil: .unknown
                    }
            } catch { self = .malformed }
        default: self = .unknown
        }
    }
}
