import Bytes
import Contract
import Rowing

/// The state as bytes, for the head of a segment.
///
/// | field | width | content |
/// |---|---|---|
/// | version | 1 | 4; 1 had no athletes, and others lacked what is marked with a later one |
/// | epoch (3) | sized | ULID text |
/// | boot id | sized | 32 hexadecimal digits |
/// | stations | varint | how many follow |
/// | slug | sized | empty for the gateway itself |
/// | announced (3) | 1 | bit k - 1 for kind k |
/// | next, acknowledged, skipped (3) | 3 varints per kind | in the order of the kinds, 1 to 8 |
/// | last time | varint | Unix milliseconds |
/// | checkpoint | sized | empty for none |
/// | athlete | sized | empty for nobody |
/// | until | 1 | 1 when the assignment ends with the session |
/// | last session, its athlete | 2 sized | empty for none |
/// | session | sized | empty when none is open; else position and eight first numbers follow |
/// | losses (4) | varint | how many follow, behind the stations |
/// | stream | sized, 1 | slug and kind |
/// | reason | sized | `GatewayEvent.DropReason` |
/// | sequences | 2 varints | first and last |
/// | ended sessions | varint | how many follow; this and they are absent where there are none |
/// | erg, session | 2 sized | |
/// | position, first | varint, 8 varints | as those of an open session |
/// | monitor's strokes | varint | 0 for none, else one more than there are |
/// | rest | | zeros, in a state that an athlete was erased from |
extension RecorderState {
    private static let version: UInt8 = 4
    fileprivate static let versionWithoutAthletes: UInt8 = 1
    fileprivate static let versionWithoutEpoch: UInt8 = 2
    fileprivate static let versionWithoutLosses: UInt8 = 3

    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(Self.version)
        writer.sized(epoch.utf8)
        writer.sized(bootID.utf8)
        writer.varint(UInt64(streams.count))
        for (station, streams) in streams.sorted(by: { ($0.key?.slug ?? "") < ($1.key?.slug ?? "") }
        ) {
            writer.sized((station?.slug ?? "").utf8)
            writer.uint8(streams.announced.reduce(0) { $0 | $1.bit })
            for kind in StreamKind.allCases {
                writer.varint(streams.next[kind])
                writer.varint(streams.acknowledged[kind])
                writer.varint(streams.skipped[kind])
            }
            writer.varint(UInt64(clamping: streams.lastUnixMilliseconds))
            writer.sized(streams.checkpoint)
            writer.assignment(streams.assignment)
            writer.sized((streams.open?.session.text ?? "").utf8)
            if let open = streams.open { writer.begin(of: open) }
        }
        writer.varint(UInt64(undeclared.count))
        for (loss, sequences) in undeclared { writer.loss(loss, sequences) }
        if !ended.isEmpty { writer.varint(UInt64(ended.count)) }
        for session in ended { writer.ended(session) }
        return writer.bytes
    }

    /// nil for bytes of another version, and for damaged ones.
    init?(decoding bytes: [UInt8]) {
        let decoded = bytes.withUnsafeBytes { buffer -> RecorderState? in
            var reader = ByteReader(buffer)
            return Self.read(&reader)
        }
        guard let decoded else { return nil }
        self = decoded
    }

    private static func read(_ reader: inout ByteReader) -> RecorderState? {
        guard let version = try? reader.uint8(), (1...Self.version).contains(version),
            let epoch = version <= versionWithoutEpoch ? "" : reader.text(),
            let bootID = reader.text(), let count = reader.varint()
        else { return nil }
        var state = RecorderState()
        state.epoch = epoch
        state.bootID = bootID
        for _ in 0..<count {
            guard let slug = reader.text(), let streams = Streams(&reader, version) else {
                return nil
            }
            guard slug.isEmpty || StationID(slug) != nil else { return nil }
            state.streams[StationID(slug)] = streams
        }
        guard version > versionWithoutLosses else { return state }
        guard let losses = reader.varint() else { return nil }
        for _ in 0..<losses {
            guard let (loss, sequences) = reader.loss() else { return nil }
            state.undeclared[loss] = sequences
        }
        for _ in 0..<(reader.varint() ?? 0) {
            guard let ended = reader.ended() else { return nil }
            state.ended.append(ended)
        }
        return state
    }
}

extension RecorderState.Streams {
    fileprivate init?(_ reader: inout ByteReader, _ version: UInt8) {
        self.init()
        let isOld = version <= RecorderState.versionWithoutEpoch
        guard let announced = isOld ? 0 : try? reader.uint8() else { return nil }
        self.announced = Set(StreamKind.allCases.filter { announced & $0.bit != 0 })
        for kind in StreamKind.allCases {
            guard let next = reader.varint(), next > 0, let acknowledged = reader.varint(),
                let skipped = isOld ? 0 : reader.varint()
            else { return nil }
            self.next[kind] = next
            self.acknowledged[kind] = acknowledged
            self.skipped[kind] = skipped
            if next > 1 { self.announced.insert(kind) }
        }
        guard let time = reader.varint(), let checkpoint = reader.sized() else { return nil }
        lastUnixMilliseconds = Int64(clamping: time)
        self.checkpoint = Array(checkpoint)
        if version > RecorderState.versionWithoutAthletes {
            guard let assignment = reader.assignment() else { return nil }
            self.assignment = assignment
        }
        guard let session = reader.text() else { return nil }
        guard !session.isEmpty else { return }
        guard let open = reader.begin(of: session) else { return nil }
        self.open = open
    }
}

extension ByteWriter {
    /// Where a session begins.
    fileprivate mutating func begin(of session: RecorderState.OpenSession) {
        varint(session.position)
        for kind in StreamKind.allCases { varint(session.first[kind]) }
    }

    fileprivate mutating func ended(_ session: RecorderState.EndedSession) {
        sized(session.station.slug.utf8)
        sized(session.begun.session.text.utf8)
        begin(of: session.begun)
        varint(session.monitorStrokes.map { UInt64(clamping: $0) + 1 } ?? 0)
    }

    fileprivate mutating func loss(_ loss: UndeclaredLosses.Loss, _ sequences: ClosedRange<UInt64>)
    {
        sized((loss.stream.station?.slug ?? "").utf8)
        uint8(loss.stream.kind.rawValue)
        sized(loss.reason.rawValue.utf8)
        varint(sequences.lowerBound)
        varint(sequences.upperBound)
    }

    fileprivate mutating func assignment(_ assignment: AthleteAssignment) {
        sized((assignment.athlete ?? "").utf8)
        uint8(assignment.until == .sessionEnd ? 1 : 0)
        sized((assignment.lastSession?.text ?? "").utf8)
        sized((assignment.lastAthlete ?? "").utf8)
    }
}

extension StreamKind {
    fileprivate var bit: UInt8 { 1 << (rawValue - 1) }
}

extension ByteReader {
    fileprivate mutating func begin(of session: String) -> RecorderState.OpenSession? {
        guard let position = varint() else { return nil }
        var first = RecorderState.Numbers(repeating: 1)
        for kind in StreamKind.allCases {
            guard let number = varint() else { return nil }
            first[kind] = number
        }
        return .init(session: SessionID(session), position: position, first: first)
    }

    fileprivate mutating func ended() -> RecorderState.EndedSession? {
        guard let station = text().flatMap(StationID.init), let session = text(),
            let begun = begin(of: session), let strokes = varint()
        else { return nil }
        return .init(
            station: station, begun: begun,
            monitorStrokes: strokes == 0 ? nil : Int(clamping: strokes - 1))
    }

    fileprivate mutating func loss() -> (UndeclaredLosses.Loss, ClosedRange<UInt64>)? {
        guard let slug = text(), slug.isEmpty || StationID(slug) != nil,
            let kind = (try? uint8()).flatMap(StreamKind.init),
            let reason = text().flatMap(GatewayEvent.DropReason.init), let first = varint(),
            let last = varint(), first <= last
        else { return nil }
        let stream = StreamID(station: StationID(slug), kind: kind)
        return (UndeclaredLosses.Loss(stream: stream, reason: reason), first...last)
    }

    fileprivate mutating func assignment() -> AthleteAssignment? {
        guard let athlete = text(), let until = try? uint8(), let session = text(),
            let lastAthlete = text()
        else { return nil }
        return AthleteAssignment(
            athlete: athlete.isEmpty ? nil : athlete, until: until == 1 ? .sessionEnd : .changed,
            lastSession: session.isEmpty ? nil : SessionID(session),
            lastAthlete: lastAthlete.isEmpty ? nil : lastAthlete)
    }

    fileprivate mutating func text() -> String? {
        sized().map { String(decoding: $0, as: UTF8.self) }
    }
}
