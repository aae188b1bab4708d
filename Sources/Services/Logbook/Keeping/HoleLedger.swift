import Bytes
import Contract
import DeliveryProof
import LogbookStores

/// What gateways owe, and what of it is here: in the store, or on its way there.
///
/// A value without a clock. It begins with what the store knows, and learns from records, `marks`,
/// `birth`, `health` and manifests.
struct HoleLedger {
    /// Numbers of a stream; as a rule owed ones that are not here, and of which nobody has said why.
    struct Hole: Equatable {
        var stream: StoredStream
        var sequences: ClosedRange<UInt64>
    }

    /// Where a gateway's ring stands, by its last `birth`.
    struct Ring: Equatable {
        var epoch: String
        var streams: [StreamID: Birth.Position]
    }

    fileprivate struct Stream {
        /// From which number on records are owed, up to which the gateway has announced them, and
        /// which are here.
        var extent = StreamExtent()
        /// Numbers that the gateway, asked for them, no longer had.
        var gone = SequenceSet()
        /// Numbers whose records came and were refused.
        var refused = SequenceSet()
    }

    /// Streams and gateways that are kept account of: whoever may publish can make up any number. A
    /// gateway of eight ergs has 59 streams, and 59 more when it gets a new ring.
    static let maximumStreams = 90_000
    static let maximumGateways = 1500
    /// How far a number may lie beyond the last known one of its stream. One that is further away is
    /// taken for made up: a gateway would need a year to get there.
    static let maximumStep: UInt64 = 1_000_000

    private var streams: [StoredStream: Stream] = [:]
    private var declared: [StoredStream: [Declaration]] = [:]
    private(set) var rings: [GatewayID: Ring] = [:]
    /// What the store is to know besides records.
    private var notes: [StoredStream: StreamNote] = [:]

    init(_ states: [StreamState] = [], _ declarations: [StoredDeclaration] = []) {
        for state in states {
            streams[state.stream] = Stream(state)
        }
        for found in declarations {
            declare(found.declaration, by: found.gateway, epoch: found.epoch)
        }
        // What was learnt just now came from the store.
        notes = [:]
    }

    /// Takes gateways over of which others kept account: what the store has of them is what is here. What
    /// they announced we have heard too.
    mutating func takeOver(
        _ isTaken: (GatewayID) -> Bool, _ states: [StreamState], _ declarations: [StoredDeclaration]
    ) {
        let heard = streams.filter { isTaken($0.key.gateway) }
        streams = streams.filter { !isTaken($0.key.gateway) }
        declared = declared.filter { !isTaken($0.key.gateway) }
        for state in states where isTaken(state.stream.gateway) {
            streams[state.stream] = Stream(state)
        }
        for found in declarations where isTaken(found.gateway) {
            declare(found.declaration, by: found.gateway, epoch: found.epoch)
        }
        for (stream, state) in heard {
            if let begin = state.extent.begin { owe(from: begin, of: stream) }
            announce(state.extent.last, of: stream)
        }
    }

    /// Whether account can be kept of a stream.
    func hasRoom(for stream: StoredStream) -> Bool {
        streams[stream] != nil || streams.count < Self.maximumStreams
    }

    /// Whether a stream may have come to this number; of one that is not known any may be the first.
    func isPlausible(_ sequence: UInt64, in stream: StoredStream) -> Bool {
        guard let extent = streams[stream]?.extent, let begin = extent.begin else { return true }
        return sequence <= max(begin, extent.last) + Self.maximumStep
    }

    // MARK: What is heard

    /// A record is here, or is sure to get into the store unless we die.
    mutating func take(_ record: KeptRecord) {
        oweFromTheFirst(record.stream)
        // Noted now, so that the store knows where the stream began even if this record does not get into
        // it before we die.
        owe(from: record.sequence, of: record.stream)
        streams[record.stream, default: Stream()].extent.store(record.sequence)
        switch record.stream.stream.kind {
        case .gatewayEvent:
            for declaration in record.declarations {
                declare(declaration, by: record.stream.gateway, epoch: record.stream.epoch)
            }
        case .manifest: takeClaim(record)
        case .session, .stroke, .force, .split, .summary, .gap, .alert, .rollup, .roomRollup,
            .crewRollup:
            break
        }
    }

    /// A record came and was refused: its number is not missing, and it is not requested again. Nothing
    /// changes where a sound record of the number is here, or comes later.
    mutating func refuse(_ sequence: UInt64, of stream: StoredStream) {
        guard hasRoom(for: stream), isPlausible(sequence, in: stream),
            streams[stream]?.extent.received.contains(sequence) != true,
            streams[stream]?.refused.contains(sequence) != true
        else { return }
        oweFromTheFirst(stream)
        if streams[stream]?.extent.begin == nil { owe(from: sequence, of: stream) }
        announce(sequence, of: stream)
        streams[stream, default: Stream()].refused.insert(sequence)
        notes[stream, default: StreamNote()].refused.insert(sequence)
    }

    private mutating func takeClaim(_ record: KeptRecord) {
        guard let strokes = record.claim?.strokes else { return }
        var stream = record.stream
        stream.stream = StreamID(station: stream.stream.station, kind: .stroke)
        owe(from: strokes.lowerBound, of: stream)
        announce(strokes.upperBound, of: stream)
    }

    /// The retained messages that say where a gateway stands.
    mutating func take(_ topic: RetainedTopic, _ fields: JSONObject, from gateway: GatewayID) {
        switch topic {
        case .birth: takeBirth(fields, from: gateway)
        case .marks(let station):
            guard let positions = StreamPositions(fields), Self.isEpoch(positions.epoch) else {
                return
            }
            for (kind, last) in positions.last {
                let stream = StreamID(station: station, kind: kind)
                announce(
                    last,
                    of: StoredStream(gateway: gateway, epoch: positions.epoch, stream: stream))
            }
        case .health:
            guard let epoch = rings[gateway]?.epoch else { return }
            for (kind, last) in StreamPositions.ofGateway(in: fields) {
                let stream = StreamID(station: nil, kind: kind)
                announce(last, of: StoredStream(gateway: gateway, epoch: epoch, stream: stream))
            }
        default: break
        }
    }

    private mutating func takeBirth(_ fields: JSONObject, from gateway: GatewayID) {
        guard let (epoch, positions) = Birth.positions(in: fields), Self.isEpoch(epoch),
            rings[gateway] != nil || rings.count < Self.maximumGateways
        else { return }
        rings[gateway] = Ring(epoch: epoch, streams: positions)
        for (stream, position) in positions where position.next > 0 {
            let stream = StoredStream(gateway: gateway, epoch: epoch, stream: stream)
            owe(from: min(max(1, position.oldest), position.next), of: stream)
            announce(position.next - 1, of: stream)
        }
        for stream in streams.keys where stream.gateway == gateway { oweFromTheFirst(stream) }
    }

    /// A stream that its gateway's birth does not name had given out no number by then.
    private mutating func oweFromTheFirst(_ stream: StoredStream) {
        guard let ring = rings[stream.gateway], ring.epoch == stream.epoch,
            ring.streams[stream.stream] == nil
        else { return }
        owe(from: 1, of: stream)
    }

    /// Whether a text can be an epoch, so that what a hostile publisher makes up names no stream.
    private static func isEpoch(_ text: String) -> Bool { KeptRecord.isEpoch(text) }

    private mutating func declare(
        _ declaration: Declaration, by gateway: GatewayID, epoch: String
    ) {
        let stream = StoredStream(gateway: gateway, epoch: epoch, stream: declaration.stream)
        declared[stream, default: []].append(declaration)
        guard declaration.reason == .earlierEpoch else { return }
        // The gateway began a new epoch, and says which numbers it had given out in the one before. Those
        // up to `end` are owed of that one: of its streams with this name the one that comes nearest.
        let end = declaration.sequences.upperBound
        let earlier = streams.filter {
            $0.key.gateway == gateway && $0.key.stream == declaration.stream
                && $0.key.epoch != epoch && $0.value.extent.last <= end
        }
        .max { $0.value.extent.last < $1.value.extent.last }
        if let earlier { announce(end, of: earlier.key) }
    }

    private mutating func announce(_ sequence: UInt64, of stream: StoredStream) {
        guard hasRoom(for: stream), isPlausible(sequence, in: stream),
            sequence > streams[stream]?.extent.last ?? 0
        else { return }
        oweFromTheFirst(stream)
        streams[stream, default: Stream()].extent.announce(sequence)
        let known = notes[stream]?.announced ?? 0
        notes[stream, default: StreamNote()].announced = max(known, sequence)
    }

    private mutating func owe(from sequence: UInt64, of stream: StoredStream) {
        guard hasRoom(for: stream), sequence < streams[stream]?.extent.begin ?? .max else { return }
        streams[stream, default: Stream()].extent.owe(from: sequence)
        notes[stream, default: StreamNote()].begin = sequence
    }

    /// The gateway was asked, and has these numbers no more: they are asked for no longer.
    mutating func settle(_ hole: Hole) {
        streams[hole.stream, default: Stream()].gone.insert(hole.sequences)
        notes[hole.stream, default: StreamNote()].gone.append(hole.sequences)
    }

    /// The gateway was asked, and sent records for these numbers that were refused: likewise.
    mutating func refuse(_ hole: Hole) {
        streams[hole.stream, default: Stream()].refused.insert(hole.sequences)
        notes[hole.stream, default: StreamNote()].refused.insert(hole.sequences)
    }

    /// Whether records of a range came and were refused, and no sound ones since.
    func hasRefused(_ hole: Hole) -> Bool {
        guard let state = streams[hole.stream] else { return false }
        return missing(of: hole.stream, state).contains {
            $0.cause == .refused && $0.sequences.overlaps(hole.sequences)
        }
    }

    /// What the store is to know besides records; it is told once.
    mutating func takeNotes() -> [StoredStream: StreamNote] {
        defer { notes = [:] }
        return notes
    }

    /// Whether there is anything to tell.
    var hasNotes: Bool { !notes.isEmpty }

    // MARK: What is missing

    /// What is missing and may be had, a gateway's events first: they say what the rest is about.
    func holes(of gateway: GatewayID) -> [Hole] {
        streams.filter { $0.key.gateway == gateway && !$0.value.extent.isWhole }
            .sorted { ($0.key.isOfErg, $0.key) < ($1.key.isOfErg, $1.key) }
            .flatMap { holes(of: $0.key, $0.value) }
    }

    /// Whether records of an erg may still come, or of its gateway, which may declare some.
    func hasHoles(of gateway: GatewayID, at station: StationID) -> Bool {
        streams.contains { stream, state in
            stream.gateway == gateway
                && (stream.stream.station ?? station) == station
                && !holes(of: stream, state).isEmpty
        }
    }

    /// What of a range is missing and may be had.
    func holes(in hole: Hole) -> [Hole] {
        guard let state = streams[hole.stream] else { return [] }
        return holes(of: hole.stream, state).filter { $0.sequences.overlaps(hole.sequences) }
            .map { Hole(stream: $0.stream, sequences: $0.sequences.clamped(to: hole.sequences)) }
    }

    private func holes(of stream: StoredStream, _ state: Stream) -> [Hole] {
        missing(of: stream, state).filter { $0.cause == .unknown }
            .map { Hole(stream: stream, sequences: $0.sequences) }
    }

    private func missing(of stream: StoredStream, _ state: Stream) -> [MissingNumbers] {
        MissingNumbers.all(
            of: state.extent, gone: state.gone, refused: state.refused,
            declared: declared[stream] ?? [])
    }
}

extension StoredStream {
    /// false sorts before true.
    fileprivate var isOfErg: Int { stream.station == nil ? 0 : 1 }
}

extension HoleLedger.Stream {
    fileprivate init(_ state: StreamState) {
        (extent, gone, refused) = (state.extent, state.gone, state.refused)
    }
}
