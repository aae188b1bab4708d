import Contract
import RingLog

/// What a ring holds: `rowgatectl log info`.
package struct LogSummary: Equatable, Sendable {
    /// The messages of one stream that the ring still holds.
    struct Stream: Equatable, Sendable {
        /// Sequence numbers of the first message still held and of the last one.
        var oldest: UInt64
        var newest: UInt64
        /// Less than the numbers between where the ring has holes.
        var count = 1
    }

    let path: String
    /// Bytes of the file, and of each segment.
    let size: UInt64
    let segmentSize: Int
    let segmentCount: Int
    /// ULID of the ring's life, `unknown` where its bytes are none.
    let epoch: String
    /// One that is wholly overwritten is not here.
    private(set) var streams: [StreamID: Stream] = [:]
    /// Values of the wire, per erg.
    private(set) var rawValues: [StationID: Int] = [:]
    /// Published messages, of all streams.
    private(set) var messages = 0
    /// Records of the gateway's own: checkpoints and the recorder's state.
    private(set) var bookkeeping = 0
    /// Records of a later version, and records that make no sense.
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

    /// Reads all of the ring; `progress` is told now and then how far it is, 0...1.
    package init(of file: LogFile, progress: (Double) -> Void) throws(RingLogError) {
        let cursor = try LogScan.storedCursor(of: file)
        var scan = try LogScan(file)
        path = file.path
        size = file.size
        segmentSize = scan.geometry.segmentSize
        segmentCount = scan.geometry.segmentCount
        epoch = scan.epoch
        var pace = ProgressPace()
        while let item = try scan.next() {
            switch item {
            case .gap(let gap):
                damage += DamagedStretch(gap, segmentSize: segmentSize).map { [$0] } ?? []
            case .entry(let entry, let position): note(entry, isUnpublished: position >= cursor)
            }
            if pace.isDue() { progress(scan.progress) }
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

/// A stretch of the ring that does not verify although something behind it does.
struct DamagedStretch: Equatable, Sendable {
    /// Positions.
    let range: Range<UInt64>
    /// Number of the segment that it begins in.
    let segment: UInt64

    var byteCount: UInt64 { range.upperBound - range.lowerBound }

    /// nil for what the daemon has overwritten while it was read.
    init?(_ gap: LogGap, segmentSize: Int) {
        guard gap.reason == .damaged else { return nil }
        range = gap.range.lowerBound.rawValue..<gap.range.upperBound.rawValue
        segment = range.lowerBound / UInt64(segmentSize)
    }
}

/// When progress is told: not for every record.
struct ProgressPace {
    private var count = 0

    mutating func isDue() -> Bool {
        count += 1
        return count.isMultiple(of: 4096)
    }
}
