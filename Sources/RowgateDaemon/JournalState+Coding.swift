import PM5Codec
import Rowing

/// The state as bytes, for the head of a segment.
///
/// | field | width | content |
/// |---|---|---|
/// | version | 1 | 2; 1 had no athletes |
/// | boot id | sized | 32 hexadecimal digits |
/// | stations | varint | how many follow |
/// | slug | sized | empty for the gateway itself |
/// | next, acknowledged | 2 varints per kind | in the order of the kinds, 1 to 8 |
/// | last time | varint | Unix milliseconds |
/// | checkpoint | sized | empty for none |
/// | athlete | sized | empty for nobody |
/// | until | 1 | 1 when the assignment ends with the session |
/// | last session, its athlete | 2 sized | empty for none |
/// | session | sized | empty when none is open; else position and eight first numbers follow |
extension JournalState {
    private static let version: UInt8 = 2
    private static let versionWithoutAthletes: UInt8 = 1

    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(Self.version)
        writer.sized(bootID.utf8)
        writer.varint(UInt64(streams.count))
        for (station, streams) in streams.sorted(by: { ($0.key?.slug ?? "") < ($1.key?.slug ?? "") }
        ) {
            writer.sized((station?.slug ?? "").utf8)
            for kind in StreamKind.allCases {
                writer.varint(streams.next[kind])
                writer.varint(streams.acknowledged[kind])
            }
            writer.varint(UInt64(clamping: streams.lastUnixMilliseconds))
            writer.sized(streams.checkpoint)
            writer.seating(streams.seating)
            writer.sized((streams.open?.session.text ?? "").utf8)
            guard let open = streams.open else { continue }
            writer.varint(open.position)
            for kind in StreamKind.allCases { writer.varint(open.first[kind]) }
        }
        return writer.bytes
    }

    /// nil for bytes of another version, and for damaged ones.
    init?(decoding bytes: [UInt8]) {
        let decoded = bytes.withUnsafeBytes { buffer -> JournalState? in
            var reader = ByteReader(buffer)
            return Self.read(&reader)
        }
        guard let decoded else { return nil }
        self = decoded
    }

    private static func read(_ reader: inout ByteReader) -> JournalState? {
        guard let found = try? reader.uint8(), found == version || found == versionWithoutAthletes,
            let bootID = reader.text(), let count = reader.varint()
        else { return nil }
        var state = JournalState()
        state.bootID = bootID
        for _ in 0..<count {
            guard let slug = reader.text(),
                let streams = Streams(&reader, hasAthletes: found == version)
            else { return nil }
            guard slug.isEmpty || StationID(slug) != nil else { return nil }
            state.streams[StationID(slug)] = streams
        }
        return state
    }
}

extension JournalState.Streams {
    fileprivate init?(_ reader: inout ByteReader, hasAthletes: Bool) {
        self.init()
        for kind in StreamKind.allCases {
            guard let next = reader.varint(), next > 0, let acknowledged = reader.varint() else {
                return nil
            }
            self.next[kind] = next
            self.acknowledged[kind] = acknowledged
        }
        guard let time = reader.varint(), let checkpoint = reader.sized() else { return nil }
        lastUnixMilliseconds = Int64(clamping: time)
        self.checkpoint = Array(checkpoint)
        if hasAthletes {
            guard let seating = reader.seating() else { return nil }
            self.seating = seating
        }
        guard let session = reader.text() else { return nil }
        guard !session.isEmpty else { return }
        guard let position = reader.varint() else { return nil }
        var first = JournalState.Numbers(repeating: 1)
        for kind in StreamKind.allCases {
            guard let number = reader.varint() else { return nil }
            first[kind] = number
        }
        open = .init(session: SessionID(session), position: position, first: first)
    }
}

extension ByteWriter {
    fileprivate mutating func seating(_ seating: Seating) {
        sized((seating.athlete ?? "").utf8)
        uint8(seating.until == .sessionEnd ? 1 : 0)
        sized((seating.lastSession?.text ?? "").utf8)
        sized((seating.lastAthlete ?? "").utf8)
    }
}

extension ByteReader {
    fileprivate mutating func seating() -> Seating? {
        guard let athlete = text(), let until = try? uint8(), let session = text(),
            let lastAthlete = text()
        else { return nil }
        return Seating(
            athlete: athlete.isEmpty ? nil : athlete, until: until == 1 ? .sessionEnd : .changed,
            lastSession: session.isEmpty ? nil : SessionID(session),
            lastAthlete: lastAthlete.isEmpty ? nil : lastAthlete)
    }

    fileprivate mutating func text() -> String? {
        sized().map { String(decoding: $0, as: UTF8.self) }
    }
}
