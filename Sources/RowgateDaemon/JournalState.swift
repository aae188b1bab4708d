import MQTTPublishing
import Rowing

/// What the journal must know to go on after a restart: numbers given out, sessions that are open.
///
/// A copy of it opens every segment of the ring, so that a restart reads the newest segment only.
/// Observing a record that the copy already covers changes nothing.
struct JournalState: Equatable {
    /// A session that has begun and not ended.
    struct OpenSession: Equatable {
        var session: SessionID
        /// Where in the ring its first record stands, or somewhat before.
        var position: UInt64
        /// The numbers that the session's first records had or would have, per stream.
        var first: Numbers
    }

    /// One number per stream kind.
    struct Numbers: Equatable {
        private var values: [UInt64]

        init(repeating value: UInt64) {
            values = Array(repeating: value, count: StreamKind.allCases.count)
        }

        subscript(kind: StreamKind) -> UInt64 {
            get { values[Int(kind.rawValue) - 1] }
            set { values[Int(kind.rawValue) - 1] = newValue }
        }
    }

    struct Streams: Equatable {
        /// The number that the next record gets.
        var next = Numbers(repeating: 1)
        /// The last number that the broker acknowledged; 0 for none.
        var acknowledged = Numbers(repeating: 0)
        /// The newest `ts_ms`: the next one is later, whatever the clock says.
        var lastUnixMilliseconds: Int64 = 0
        var open: OpenSession?
        /// `SessionCheckpoint` of the erg; empty when no session is open.
        var checkpoint: [UInt8] = []
        var seating = Seating()
    }

    /// The boot whose clock the newest checkpoints are on; empty before the first.
    var bootID = ""
    /// Records written for an erg; the gateway's own stand under nil.
    var streams: [StationID?: Streams] = [:]

    /// Gives out the next number of a stream and a time later than that of its last record.
    mutating func assign(
        _ kind: StreamKind, of station: StationID?, unixMilliseconds: Int64
    ) -> (sequence: UInt64, unixMilliseconds: Int64) {
        var streams = self.streams[station] ?? Streams()
        let sequence = streams.next[kind]
        streams.next[kind] += 1
        streams.lastUnixMilliseconds = max(unixMilliseconds, streams.lastUnixMilliseconds + 1)
        self.streams[station] = streams
        return (sequence, streams.lastUnixMilliseconds)
    }

    /// Notes that a session begins with the next record at `position`.
    mutating func open(_ session: SessionID, of station: StationID, at position: UInt64) {
        var streams = self.streams[station] ?? Streams()
        streams.open = OpenSession(session: session, position: position, first: streams.next)
        self.streams[station] = streams
    }

    mutating func close(_ station: StationID) { streams[station]?.open = nil }

    /// Takes in a record that was found in the ring.
    mutating func observe(_ entry: JournalEntry, isAcknowledged: Bool) {
        switch entry {
        case .message(let message):
            var streams = self.streams[message.station] ?? Streams()
            let kind = message.kind
            streams.next[kind] = max(streams.next[kind], message.sequence + 1)
            streams.lastUnixMilliseconds = max(
                streams.lastUnixMilliseconds, Int64(clamping: message.unixMilliseconds))
            if isAcknowledged {
                streams.acknowledged[kind] = max(streams.acknowledged[kind], message.sequence)
            }
            self.streams[message.station] = streams
        case .checkpoint(let station, let bytes):
            self.streams[station, default: Streams()].checkpoint = bytes
        case .notification:
            break
        }
    }

    mutating func acknowledge(_ sequence: UInt64, _ kind: StreamKind, of station: StationID?) {
        let known = streams[station]?.acknowledged[kind] ?? 0
        streams[station]?.acknowledged[kind] = max(known, sequence)
    }

    /// Records that the broker has not acknowledged.
    var backlog: Int {
        streams.values.reduce(0) { sum, streams in
            sum
                + StreamKind.allCases.reduce(0) {
                    $0
                        + Int(
                            streams.next[$1] - 1
                                - min(streams.acknowledged[$1], streams.next[$1] - 1))
                }
        }
    }

    /// Streams that hold or held a record.
    var positions: [(stream: StreamID, next: UInt64)] {
        streams.flatMap { station, streams in
            StreamKind.allCases.filter { streams.next[$0] > 1 }
                .map { (StreamID(station: station, kind: $0), streams.next[$0]) }
        }
    }
}
