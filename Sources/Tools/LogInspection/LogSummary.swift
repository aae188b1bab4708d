import Contract
import RingLog

/// The contents of a ring: `rowgatectl log info`.
package struct LogSummary: Equatable, Sendable {
    /// The messages of one stream that the ring still holds.
    struct Stream: Equatable, Sendable {
        /// Sequence numbers of the first message still held and of the last one.
        var oldest: UInt64
        var newest: UInt64
        /// Smaller than the range of numbers if the ring has gaps.
        var count = 1
    }

    let path: String
    /// Bytes of the file, and of each segment.
    let size: UInt64
    let segmentSize: Int
    let segmentCount: Int
    /// ULID of the ring's life, `unknown` where its bytes are none.
    let epoch: String
    /// Without streams that are completely overwritten.
    private(set) var streams: [StreamID: Stream] = [:]
    /// Values of the wire, per erg.
    private(set) var rawValues: [StationID: Int] = [:]
    /// Published messages, of all streams.
    private(set) var messages = 0
    /// Internal records: checkpoints and the recorder's state.
    private(set) var bookkeeping = 0
    /// Records of a later version, and invalid records.
    private(set) var unknown = 0
    private(set) var malformed = 0
    /// Unix milliseconds of the earliest and the latest message.
    private(set) var times: ClosedRange<Int64>?
    /// Messages that the broker had not acknowledged when the cursor was stored.
    private(set) var unpublished = 0
    /// Their part of the ring, 0...1.
    private(set) var unpublishedFraction = 0.0
    /// Stretches whose bytes do not verify, in order.
    private(set) var damage: [DamagedStretch] = []

    /// Reads the whole ring; `progress` receives the fraction read, 0...1, from time to time.
    package init(of file: LogFile, progress: (Double) -> Void) throws(RingLogError) {
        let cursor = try LogScan.storedCursor(of: file)
        var scan = try LogScan(file)
        path = file.path
        size = file.size
        segmentSize = scan.geometry.segmentSize
        segmentCount = scan.geometry.segmentCount
        epoch = scan.epoch
        var throttle = ProgressThrottle()
        while let item = try scan.next() {
            switch item {
            case .gap(let gap):
                damage += DamagedStretch(gap, segmentSize: segmentSize).map { [$0] } ?? []
            case .entry(let entry, let position): note(entry, isUnpublished: position >= cursor)
            }
            if throttle.isDue() { progress(scan.progress) }
        }
        let end = scan.position.rawValue
        let waiting = end - min(end, max(cursor.rawValue, scan.oldest.rawValue))
        unpublishedFraction =
            unpublished == 0 ? 0 : Double(waiting) / Double(scan.geometry.capacity)
        progress(1)
    }

    private mutating func note(_ entry: LogEntry, isUnpublished: Bool) {
        switch entry {
        case .message(let message):
            note(message)
            if isUnpublished { unpublished += 1 }
        case .raw(let raw): rawValues[raw.station, default: 0] += 1
        case .bookkeeping: bookkeeping += 1
        case .unknown: unknown += 1
        case .malformed: malformed += 1
        }
    }

    private mutating func note(_ message: DurableMessage) {
        messages += 1
        let time = Int64(clamping: message.unixMilliseconds)
        times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        let stream = StreamID(station: message.station, kind: message.kind)
        guard var known = streams[stream] else {
            streams[stream] = Stream(oldest: message.sequence, newest: message.sequence)
            return
        }
        known.oldest = min(known.oldest, message.sequence)
        known.newest = max(known.newest, message.sequence)
        known.count += 1
        streams[stream] = known
    }
}

/// A range of the ring that does not verify although records behind it do.
struct DamagedStretch: Equatable, Sendable {
    /// Positions.
    let range: Range<UInt64>
    /// Number of the segment that it begins in.
    let segment: UInt64

    var byteCount: UInt64 { range.upperBound - range.lowerBound }

    /// Returns nil if the daemon overwrote the range during the read.
    init?(_ gap: LogGap, segmentSize: Int) {
        guard gap.reason == .damaged else { return nil }
        range = gap.range.lowerBound.rawValue..<gap.range.upperBound.rawValue
        segment = range.lowerBound / UInt64(segmentSize)
    }
}

/// Limits how often progress is reported.
struct ProgressThrottle {
    private var count = 0

    mutating func isDue() -> Bool {
        count += 1
        return count.isMultiple(of: 4096)
    }
}
