import Bytes
import Contract
import DeliveryProof
import LogbookStores

/// Tracks which sequence numbers are expected from each gateway and which records were received.
///
/// A record counts as received when it is stored or queued for the store. The tracker starts with the store's
/// state and updates it from records, `marks`, `birth`, `health` and manifests. It has no clock.
struct RecordGapTracker {
    /// A range of one stream's sequence numbers that were expected, not received and not explained.
    struct Gap: Equatable {
        var stream: StoredStream
        var sequences: ClosedRange<UInt64>
    }

    /// The positions in a gateway's ring log, from its last `birth`.
    struct Ring: Equatable {
        var epoch: String
        var streams: [StreamID: Birth.Position]
    }

    fileprivate struct Stream {
        /// The first expected number, the last announced number, and the received numbers.
        var extent = StreamExtent()
        /// Numbers for which the gateway had no record when they were requested.
        var gone = SequenceSet()
        /// Numbers whose records were received and refused.
        var refused = SequenceSet()
    }

    /// The maximum numbers of tracked streams and gateways, because a publisher can invent them. A gateway of
    /// eight ergs has 59 streams, and 59 more after it gets a new ring.
    static let maximumStreams = 90_000
    static let maximumGateways = 1500
    /// The maximum distance of a number from the last known number of its stream. A larger step is treated as
    /// invalid: a gateway would need a year to get there.
    static let maximumStep: UInt64 = 1_000_000

    private var streams: [StoredStream: Stream] = [:]
    private var declared: [StoredStream: [Declaration]] = [:]
    private(set) var rings: [GatewayID: Ring] = [:]
    /// Changes to store besides the records.
    private var notes: [StoredStream: StreamNote] = [:]

    init(_ states: [StreamState] = [], _ declarations: [StoredDeclaration] = []) {
        for state in states {
            streams[state.stream] = Stream(state)
        }
        for found in declarations {
            declare(found.declaration, by: found.gateway, epoch: found.epoch)
        }
        // The store already has the changes noted above.
        notes = [:]
    }

    /// Replaces the state of gateways that another logbook tracked until now with the store's state. Numbers
    /// that these gateways announced meanwhile stay expected.
    mutating func reload(
        _ isTakenOver: (GatewayID) -> Bool, _ states: [StreamState], _ declarations: [StoredDeclaration]
    ) {
        let earlier = streams.filter { isTakenOver($0.key.gateway) }
        streams = streams.filter { !isTakenOver($0.key.gateway) }
        declared = declared.filter { !isTakenOver($0.key.gateway) }
        for state in states where isTakenOver(state.stream.gateway) {
            streams[state.stream] = Stream(state)
        }
        for found in declarations where isTakenOver(found.gateway) {
            declare(found.declaration, by: found.gateway, epoch: found.epoch)
        }
        for (stream, state) in earlier {
            if let begin = state.extent.begin { expect(from: begin, of: stream) }
            announce(state.extent.last, of: stream)
        }
    }

    /// Whether the tracker has the stream or can add it.
    func hasRoom(for stream: StoredStream) -> Bool {
        streams[stream] != nil || streams.count < Self.maximumStreams
    }

    /// Whether a stream can have reached this number. Any number can be the first of an unknown stream.
    func isPlausible(_ sequence: UInt64, in stream: StoredStream) -> Bool {
        guard let extent = streams[stream]?.extent, let begin = extent.begin else { return true }
        return sequence <= max(begin, extent.last) + Self.maximumStep
    }

    // MARK: Received messages

    /// Marks a record as received. The caller has queued it for the store.
    mutating func markReceived(_ record: ValidatedRecord) {
        expectFromFirst(record.stream)
        // Noted now, so that the store has the stream's first number even if the process is killed before it
        // stores this record.
        expect(from: record.sequence, of: record.stream)
        streams[record.stream, default: Stream()].extent.store(record.sequence)
        switch record.stream.stream.kind {
        case .gatewayEvent:
            for declaration in record.declarations {
                declare(declaration, by: record.stream.gateway, epoch: record.stream.epoch)
            }
        case .manifest: applyManifest(record)
        case .session, .stroke, .force, .split, .summary, .gap, .alert, .rollup, .roomRollup,
            .crewRollup:
            break
        }
    }

    /// Marks a number whose record was received and refused. It is not missing and is not requested again. A
    /// valid record of the same number, received before or later, takes precedence.
    mutating func markRefused(_ sequence: UInt64, of stream: StoredStream) {
        guard hasRoom(for: stream), isPlausible(sequence, in: stream),
            streams[stream]?.extent.received.contains(sequence) != true,
            streams[stream]?.refused.contains(sequence) != true
        else { return }
        expectFromFirst(stream)
        if streams[stream]?.extent.begin == nil { expect(from: sequence, of: stream) }
        announce(sequence, of: stream)
        streams[stream, default: Stream()].refused.insert(sequence)
        notes[stream, default: StreamNote()].refused.insert(sequence)
    }

    private mutating func applyManifest(_ record: ValidatedRecord) {
        guard let strokes = record.claim?.strokes else { return }
        var stream = record.stream
        stream.stream = StreamID(station: stream.stream.station, kind: .stroke)
        expect(from: strokes.lowerBound, of: stream)
        announce(strokes.upperBound, of: stream)
    }

    /// Applies a retained message that announces the gateway's sequence numbers.
    mutating func apply(_ topic: RetainedTopic, _ fields: JSONObject, from gateway: GatewayID) {
        switch topic {
        case .birth: applyBirth(fields, from: gateway)
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

    private mutating func applyBirth(_ fields: JSONObject, from gateway: GatewayID) {
        guard let (epoch, positions) = Birth.positions(in: fields), Self.isEpoch(epoch),
            rings[gateway] != nil || rings.count < Self.maximumGateways
        else { return }
        rings[gateway] = Ring(epoch: epoch, streams: positions)
        for (stream, position) in positions where position.next > 0 {
            let stream = StoredStream(gateway: gateway, epoch: epoch, stream: stream)
            expect(from: min(max(1, position.oldest), position.next), of: stream)
            announce(position.next - 1, of: stream)
        }
        for stream in streams.keys where stream.gateway == gateway { expectFromFirst(stream) }
    }

    /// Expects a stream from number 1 if the gateway's birth does not name it: the stream was empty then.
    private mutating func expectFromFirst(_ stream: StoredStream) {
        guard let ring = rings[stream.gateway], ring.epoch == stream.epoch,
            ring.streams[stream.stream] == nil
        else { return }
        expect(from: 1, of: stream)
    }

    /// Whether a text has the form of an epoch, so that a hostile publisher cannot invent stream names.
    private static func isEpoch(_ text: String) -> Bool { ValidatedRecord.isEpoch(text) }

    private mutating func declare(
        _ declaration: Declaration, by gateway: GatewayID, epoch: String
    ) {
        let stream = StoredStream(gateway: gateway, epoch: epoch, stream: declaration.stream)
        declared[stream, default: []].append(declaration)
        guard declaration.reason == .earlierEpoch else { return }
        // The gateway started a new epoch and declares the numbers of the previous one. Numbers up to `end`
        // are expected from the previous epoch: the stream of this name whose last number is closest to
        // `end`.
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
        expectFromFirst(stream)
        streams[stream, default: Stream()].extent.announce(sequence)
        let known = notes[stream]?.announced ?? 0
        notes[stream, default: StreamNote()].announced = max(known, sequence)
    }

    private mutating func expect(from sequence: UInt64, of stream: StoredStream) {
        guard hasRoom(for: stream), sequence < streams[stream]?.extent.begin ?? .max else { return }
        streams[stream, default: Stream()].extent.expect(from: sequence)
        notes[stream, default: StreamNote()].begin = sequence
    }

    /// Marks numbers for which the gateway has no record. They are not requested again.
    mutating func markGone(_ gap: Gap) {
        streams[gap.stream, default: Stream()].gone.insert(gap.sequences)
        notes[gap.stream, default: StreamNote()].gone.append(gap.sequences)
    }

    /// Marks numbers whose replayed records were refused. They are not requested again.
    mutating func markRefused(_ gap: Gap) {
        streams[gap.stream, default: Stream()].refused.insert(gap.sequences)
        notes[gap.stream, default: StreamNote()].refused.insert(gap.sequences)
    }

    /// Whether the range contains refused records without a valid replacement.
    func hasRefused(_ gap: Gap) -> Bool {
        guard let state = streams[gap.stream] else { return false }
        return missing(of: gap.stream, state).contains {
            $0.cause == .refused && $0.sequences.overlaps(gap.sequences)
        }
    }

    /// Returns and clears the changes to store besides the records.
    mutating func drainNotes() -> [StoredStream: StreamNote] {
        defer { notes = [:] }
        return notes
    }

    var hasNotes: Bool { !notes.isEmpty }

    // MARK: Missing numbers

    /// Returns the gateway's gaps that can be requested. Its events come first: they can explain others.
    func gaps(of gateway: GatewayID) -> [Gap] {
        streams.filter { $0.key.gateway == gateway && !$0.value.extent.isComplete }
            .sorted { ($0.key.sortOrder, $0.key) < ($1.key.sortOrder, $1.key) }
            .flatMap { gaps(of: $0.key, $0.value) }
    }

    /// Whether the erg's streams, or the gateway's own, still have gaps. A gateway's events can declare
    /// losses.
    func hasGaps(of gateway: GatewayID, at station: StationID) -> Bool {
        streams.contains { stream, state in
            stream.gateway == gateway
                && (stream.stream.station ?? station) == station
                && !gaps(of: stream, state).isEmpty
        }
    }

    /// Returns the parts of a range that are missing and can be requested.
    func gaps(in gap: Gap) -> [Gap] {
        guard let state = streams[gap.stream] else { return [] }
        return gaps(of: gap.stream, state).filter { $0.sequences.overlaps(gap.sequences) }
            .map { Gap(stream: $0.stream, sequences: $0.sequences.clamped(to: gap.sequences)) }
    }

    private func gaps(of stream: StoredStream, _ state: Stream) -> [Gap] {
        missing(of: stream, state).filter { $0.cause == .unknown }
            .map { Gap(stream: stream, sequences: $0.sequences) }
    }

    /// Returns the missing numbers of a stream, each with one cause: declared by the gateway, else refused, else gone,
    /// else unknown.
    private func missing(of stream: StoredStream, _ state: Stream) -> [MissingNumbers] {
        MissingNumbers.all(
            of: state.extent, gone: state.gone, refused: state.refused,
            declared: declared[stream] ?? [])
    }
}

extension StoredStream {
    /// 0 for the gateway's own streams, which sort first, and 1 for an erg's.
    fileprivate var sortOrder: Int { stream.station == nil ? 0 : 1 }
}

extension RecordGapTracker.Stream {
    fileprivate init(_ state: StreamState) {
        (extent, gone, refused) = (state.extent, state.gone, state.refused)
    }
}
