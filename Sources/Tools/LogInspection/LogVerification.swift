import Bytes
import CommandLineText
import Contract
import RingLog

/// Reads and checks all records of a ring: `rowgatectl log verify`.
package struct LogVerification: Equatable, Sendable {
    /// Numbers of a stream that the ring does not hold between two that it does.
    struct NumberGap: Equatable, Sendable {
        let stream: StreamID
        /// The first and the last that are missing.
        let sequences: ClosedRange<UInt64>
    }

    private(set) var path: String
    private(set) var records = 0
    private(set) var segments = 0
    private(set) var damage: [DamagedStretch] = []
    private(set) var malformed = 0
    private(set) var unknown = 0
    /// Messages whose number is not above the last one of their stream.
    private(set) var repeated: [StreamID: Int] = [:]
    /// A killed daemon skips numbers; damage loses them.
    private(set) var numberGaps: [NumberGap] = []
    /// The newest record is incomplete, as after a power cut; durable records precede it.
    private(set) var hasTornEnd = false
    /// The daemon stopped normally and has not run since.
    private(set) var isClosed = false
    private var last: [StreamID: UInt64] = [:]

    /// Whether all records are valid; gaps may have a valid reason.
    package var isIntact: Bool { damage.isEmpty && malformed == 0 && repeated.isEmpty }

    /// Reads the whole ring; `progress` receives the fraction read, 0...1, from time to time.
    package init(of file: LogFile, progress: (Double) -> Void) throws(RingLogError) {
        path = file.path
        var scan = try LogScan(file)
        let size = scan.geometry.segmentSize
        var throttle = ProgressThrottle()
        var segment: UInt64?
        while let item = try scan.next() {
            switch item {
            case .gap(let gap): damage += DamagedStretch(gap, segmentSize: size).map { [$0] } ?? []
            case .entry(let entry, let position):
                note(entry)
                let present = position.rawValue / UInt64(size)
                if present != segment { segments += 1 }
                segment = present
            }
            if throttle.isDue() { progress(scan.progress) }
        }
        hasTornEnd = try scan.hasTornEnd()
        isClosed = scan.endsClosed
        progress(1)
    }

    private mutating func note(_ entry: LogEntry) {
        records += 1
        switch entry {
        case .message(let message): note(message)
        case .malformed: malformed += 1
        case .unknown: unknown += 1
        case .raw, .bookkeeping: break
        }
    }

    private mutating func note(_ message: DurableMessage) {
        let stream = StreamID(station: message.station, kind: message.kind)
        defer { last[stream] = max(last[stream] ?? 0, message.sequence) }
        guard let previous = last[stream] else { return }
        if message.sequence <= previous {
            repeated[stream, default: 0] += 1
        } else if message.sequence > previous + 1 {
            numberGaps.append(NumberGap(stream: stream, sequences: previous + 1...message.sequence - 1))
        }
    }

    /// The result as text: each finding, then the verdict.
    package var lines: [StyledLine] {
        damage.map { stretch in
            StyledLine(
                "segment \(stretch.segment): \(stretch.byteCount) bytes from position "
                    + "\(stretch.range.lowerBound) do not verify", .bad)
        } + repeatedLines + gapLines + tornLines + [verdict]
    }

    private var repeatedLines: [StyledLine] {
        repeated.sorted { $0.key.path < $1.key.path }.map { stream, count in
            StyledLine("\(stream.path): repeats \(count.counted("number"))", .bad)
        }
    }

    private var gapLines: [StyledLine] {
        numberGaps.map { gap in
            let (first, last) = (gap.sequences.lowerBound, gap.sequences.upperBound)
            let numbers = first == last ? "\(first) is" : "\(first) to \(last) are"
            return StyledLine("\(gap.stream.path): \(numbers) missing", .warning)
        }
    }

    private var tornLines: [StyledLine] {
        hasTornEnd
            ? [StyledLine("the newest record is incomplete: its write was interrupted", .warning)] : []
    }

    private var verdict: StyledLine {
        let counts = "\(path): \(records) records in \(segments.counted("segment"))"
        let end = isClosed ? ", closed in order" : ""
        guard !isIntact else { return StyledLine("\(counts), intact\(end)", .good) }
        var findings: [String] = []
        if !damage.isEmpty {
            let segments = Set(damage.map(\.segment)).count.counted("segment")
            findings.append("\(damage.count.counted("damaged stretch", "es")) in \(segments)")
        }
        if malformed > 0 { findings.append(malformed.counted("malformed record")) }
        if !repeated.isEmpty { findings.append("repeated numbers") }
        return StyledLine("\(counts), \(findings.joined(separator: ", "))", .bad)
    }

    // MARK: - For programs

    /// An object for programs, and a line feed. Sequences of `not_there` include both ends.
    package var json: [UInt8] {
        JSONWriter.object(write) + [UInt8(ascii: "\n")]
    }

    private func write(into json: inout JSONWriter) {
        json.field("path", path)
        json.field("intact", isIntact)
        json.field("records", records)
        json.field("segments", segments)
        json.field("malformed_records", malformed)
        json.field("later_version_records", unknown)
        json.field("torn_end", hasTornEnd)
        json.field("closed_in_order", isClosed)
        json.list("damage", of: damage) { json, stretch in
            json.field("segment", stretch.segment)
            json.field("position", stretch.range.lowerBound)
            json.field("bytes", stretch.byteCount)
        }
        json.list("not_there", of: numberGaps) { json, gap in
            json.field("stream", gap.stream.path)
            json.field("first_seq", gap.sequences.lowerBound)
            json.field("last_seq", gap.sequences.upperBound)
        }
        let repeats = repeated.map { ($0.key.path, $0.value) }
        json.object("repeated", of: repeats.sorted { $0.0 < $1.0 })
    }
}
