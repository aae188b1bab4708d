import Contract

/// What a gateway declared about numbers that cannot arrive: `event` ring_dropped, or epoch_began.
package struct Declaration: Equatable, Sendable {
    /// Whose numbers.
    package var stream: StreamID
    /// The first and the last of them.
    package var sequences: ClosedRange<UInt64>
    /// `overwritten` where a gateway tells none, or one that is not known here.
    package var reason: GatewayEvent.DropReason

    /// Of an event; of most there are none.
    package static func all(in record: ReceivedRecord) -> [Declaration] {
        guard record.fields.text("event") == "epoch_began",
            case .object(let first)? = record.fields["first_seq"]
        else { return Declaration(record).map { [$0] } ?? [] }
        return first.members.compactMap { member in
            guard let stream = StreamID(path: member.name),
                let number = first.number(member.name), number > 1
            else { return nil }
            return Declaration(
                stream: stream, sequences: 1...number - 1, reason: .earlierEpoch)
        }
    }

    private init(
        stream: StreamID, sequences: ClosedRange<UInt64>, reason: GatewayEvent.DropReason
    ) {
        (self.stream, self.sequences, self.reason) = (stream, sequences, reason)
    }

    private init?(_ record: ReceivedRecord) {
        guard record.fields.text("event") == "ring_dropped",
            let stream = record.fields.text("stream").flatMap(StreamID.init(path:)),
            let sequences = record.fields.range("from_seq", "to_seq")
        else { return nil }
        self.stream = stream
        self.sequences = sequences
        reason =
            record.fields.text("reason").flatMap(GatewayEvent.DropReason.init) ?? .overwritten
    }
}

/// A ring log of a gateway.
struct EpochName: Hashable, Comparable {
    var gateway: GatewayID
    var epoch: String

    static func < (left: EpochName, right: EpochName) -> Bool {
        (left.gateway, left.epoch) < (right.gateway, right.epoch)
    }
}

/// One ring log of one gateway: within it a number names one record.
struct EpochLedger {
    private(set) var streams: [StreamID: StreamLedger] = [:]
    /// In the order of arrival.
    private(set) var claims: [ManifestClaim] = []
    private(set) var declarations: [Declaration] = []
    /// Ergs whose `marks` came, and how often.
    private var marks: [StationID: Int] = [:]
    /// What a stream begins with that is heard of now.
    private var newStream = StreamLedger()

    /// Listening has ended: what was named so far is what has to be there.
    mutating func close() {
        newStream.close()
        for stream in streams.keys { streams[stream]?.close() }
    }

    /// Takes in a record; false when it is there already.
    mutating func take(
        _ record: ReceivedRecord, of stream: StreamID, digest: RecordDigest
    ) throws(RecordDefect) -> Bool {
        let isNew = streams[stream, default: newStream]
            .take(record.sequence, digest: digest([record.stored]))
        guard isNew else { return false }
        guard let station = stream.station else {
            declarations += Declaration.all(in: record)
            return true
        }
        let isInTime = streams[stream]?.isInTime(record.sequence) == true
        guard stream.kind == .manifest, isInTime else { return true }
        guard let claim = ManifestClaim(record, of: station) else {
            throw RecordDefect(words: "a manifest without its counts")
        }
        claims.append(claim)
        if let strokes = claim.strokes {
            let stream = StreamID(station: station, kind: .stroke)
            streams[stream, default: newStream].owe(from: strokes.lowerBound)
            streams[stream]?.announce(strokes.upperBound)
        }
        return true
    }

    /// The last number of a stream, by `birth` or `health`.
    mutating func announce(_ sequence: UInt64, of stream: StreamID) {
        streams[stream, default: newStream].announce(sequence)
    }

    /// The last numbers of an erg's streams; the second time they say what was not there yet when
    /// the listener had certainly come in.
    mutating func take(marks fields: [StreamKind: UInt64], of station: StationID) {
        marks[station, default: 0] += 1
        for kind in StreamKind.ofStation {
            let stream = StreamID(station: station, kind: kind)
            let last = fields[kind] ?? 0
            announce(last, of: stream)
            if marks[station] == 2 { streams[stream]?.owe(from: last + 1) }
        }
    }

    /// Everything that is there is owed.
    mutating func oweEverything() {
        for stream in streams.keys { streams[stream]?.owe(from: 1) }
    }
}
