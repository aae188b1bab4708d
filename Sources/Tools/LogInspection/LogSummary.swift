import Contract
import RingLog

/// What a ring holds: `rowgatectl log info`.
package struct LogSummary: Equatable, Sendable {
    /// The messages of one stream that the ring still holds.
    package struct Stream: Equatable, Sendable {
        /// Sequence number of the first message still held.
        package var oldest: UInt64
        /// Sequence number of the last one.
        package var newest: UInt64
        /// Messages held: less than the numbers between where the ring has holes.
        package var count = 1
    }

    /// Of the ring file.
    package var path: String
    /// Bytes of the file, and of each segment.
    package var size: UInt64
    /// As above.
    package var segmentSize: Int
    /// How many segments the file has.
    package var segmentCount: Int
    /// ULID of the ring's life, `unknown` where its bytes are none.
    package var epoch: String
    /// What is held of each stream; one that is wholly overwritten is not here.
    package var streams: [StreamID: Stream] = [:]
    /// Values of the wire, per erg.
    package var rawValues: [StationID: Int] = [:]
    /// Published messages, of all streams.
    package var messages = 0
    /// Records of the gateway's own: checkpoints and the journal's state.
    package var bookkeeping = 0
    /// Records of a later version, and records that make no sense.
    package var unknown = 0
    /// As above.
    package var malformed = 0
    /// Unix milliseconds of the earliest and the latest message.
    package var times: ClosedRange<Int64>?
    /// Messages that the broker had not acknowledged when the cursor was stored.
    package var unpublished = 0
    /// Their part of the ring, 0...1.
    package var unpublishedFraction = 0.0
    /// Stretches whose bytes do not verify, in order.
    package var damage: [DamagedStretch] = []

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
        let waiting =
            scan.position.rawValue
            - min(
                scan.position.rawValue, max(cursor.rawValue, scan.oldest.rawValue))
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
package struct DamagedStretch: Equatable, Sendable {
    /// Positions.
    package let range: Range<UInt64>
    /// Number of the segment that it begins in.
    package let segment: UInt64

    package var byteCount: UInt64 { range.upperBound - range.lowerBound }

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
