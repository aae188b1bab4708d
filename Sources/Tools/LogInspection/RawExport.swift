import Bytes
import Contract
import PM5Codec
import RingLog
import Rowing
import Timeline

/// The values exchanged with one monitor, as a recording for `rowgatectl normalize`:
/// `rowgatectl log export --raw`.
package struct RawExport {
    private static let chunk = 1 << 16

    private let station: StationID
    private let filter: RecordFilter
    /// Values written.
    package private(set) var written = 0
    private var output: [UInt8] = []
    private var timeline = RecordingTimeline()

    /// The erg and the times of `filter` count, and its session.
    package init(of station: StationID, _ filter: RecordFilter) {
        self.station = station
        self.filter = filter
    }

    /// Returns the erg of a session; nil if the ring contains no record of it.
    package static func station(
        of session: SessionID, in file: LogFile
    ) throws(RingLogError) -> StationID? {
        var scan = try LogScan(file)
        while let item = try scan.next() {
            if case .entry(.message(let message), _) = item,
                message.names(session, as: "session_id")
            {
                return message.station
            }
        }
        return nil
    }

    /// Reads `file`, twice for a session, and calls `write` with the bytes of the recording.
    package mutating func run(
        on file: LogFile, progress: (Double) -> Void, write: (inout [UInt8]) throws -> Void
    ) throws {
        var span = Span()
        if let session = filter.session {
            guard let found = try Span.find(session, of: station, in: file) else { return }
            span = found
            for value in span.identity { append(value) }
        }
        var scan = try LogScan(file)
        var clock = BootClock()
        var throttle = ProgressThrottle()
        while let item = try scan.next() {
            switch item {
            case .entry(.message(let message), _): clock.note(message)
            case .entry(.raw(let raw), let position)
            where raw.station == station && span.holds(raw, at: position) && admits(raw, clock):
                append(raw)
                if output.count >= Self.chunk { try write(&output) }
            default: break
            }
            if throttle.isDue() { progress(scan.progress) }
        }
        try write(&output)
        progress(1)
    }

    private func admits(_ raw: RawNotification, _ clock: BootClock) -> Bool {
        guard let time = clock.unixMilliseconds(raw.bootMilliseconds) else { return true }
        return filter.admits(unixMilliseconds: time)
    }

    private mutating func append(_ raw: RawNotification) {
        written += 1
        let time = timeline.milliseconds(of: raw)
        output += #"{"t_ms":\#(time),"dir":"\#(raw.direction)","#.utf8
        output += #""characteristic":"\#(raw.characteristic)","hex":""#.utf8
        output += "\(hexadecimal(raw.bytes))\"}\n".utf8
    }
}

extension RawNotification {
    /// The direction, in the notation of a recording.
    fileprivate var direction: String {
        switch characteristic.rawValue {
        case 0x0011...0x0018: "read"
        case CharacteristicID.csafeIn.rawValue: "tx"
        default: "rx"
        }
    }

    /// Whether it identifies the monitor.
    fileprivate var isIdentity: Bool { (0x0011...0x0018).contains(characteristic.rawValue) }
}

extension RawExport {
    /// The values of one session among those of its erg.
    private struct Span {
        /// The values about the monitor before the session, the newest of each kind.
        var identity: [RawNotification] = []
        private var start: (position: LogPosition, boot: UInt64)?
        private var before = LogPosition.zero
        private var end: (position: LogPosition, boot: UInt64)?
        private var next: LogPosition?

        /// nil when the ring holds no beginning of the session.
        static func find(
            _ session: SessionID, of station: StationID, in file: LogFile
        ) throws(RingLogError) -> Span? {
            var span = Span()
            var identity: [CharacteristicID: RawNotification] = [:]
            var scan = try LogScan(file)
            while span.next == nil, let item = try scan.next() {
                guard case .entry(let entry, let position) = item else { continue }
                switch entry {
                case .raw(let raw) where raw.station == station && raw.isIdentity:
                    if span.start == nil { identity[raw.characteristic] = raw }
                case .message(let message) where message.station == station:
                    span.note(message, of: session, at: position)
                default: break
                }
            }
            guard let start = span.start else { return nil }
            // Those within the span come in their own place.
            span.identity = identity.values.filter { !span.isLeadIn($0, start) }
                .sorted { $0.characteristic.rawValue < $1.characteristic.rawValue }
            return span
        }

        private mutating func note(
            _ message: DurableMessage, of session: SessionID, at position: LogPosition
        ) {
            let isOurs = message.names(session, as: "session_id")
            let isEdge = message.kind == .session
            if start == nil, !isOurs {
                before = position
            } else if isOurs {
                start = start ?? (position, message.bootMilliseconds)
                if isEdge, message.names("ended", as: "event") {
                    end = (position, message.bootMilliseconds)
                }
            } else if isEdge, message.names("started", as: "event") {
                next = position
            }
        }

        private func isLeadIn(
            _ raw: RawNotification, _ start: (position: LogPosition, boot: UInt64)
        ) -> Bool {
            raw.bootMilliseconds + UInt64(RawWindow.leadIn.wholeMilliseconds) >= start.boot
                && raw.bootMilliseconds <= start.boot
        }

        func holds(_ raw: RawNotification, at position: LogPosition) -> Bool {
            guard let start else { return true }
            if let next, position > next { return false }
            if position < start.position { return position > before && isLeadIn(raw, start) }
            guard let end, position > end.position else { return true }
            return raw.bootMilliseconds <= end.boot + UInt64(RawWindow.leadOut.wholeMilliseconds)
        }
    }
}

/// The times of a recording: milliseconds since boot, continuing over reboots.
private struct RecordingTimeline {
    private var last: UInt64 = 0
    private var offset: UInt64 = 0

    mutating func milliseconds(of raw: RawNotification) -> UInt64 {
        // Sockets are read one after the other: a value may be a moment older than the one before.
        if raw.bootMilliseconds + offset + 60_000 < last { offset = last - raw.bootMilliseconds }
        let time = raw.bootMilliseconds + offset
        last = max(last, time)
        return time
    }
}

/// Turns boot time into wall time as the newest message has it.
private struct BootClock {
    private var unixAtBoot: Int64?

    mutating func note(_ message: DurableMessage) {
        unixAtBoot =
            Int64(clamping: message.unixMilliseconds) - Int64(clamping: message.bootMilliseconds)
    }

    func unixMilliseconds(_ boot: UInt64) -> Int64? {
        unixAtBoot.map { $0 + Int64(clamping: boot) }
    }
}
