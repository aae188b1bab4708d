import Bytes
import Contract

/// A gateway's declaration of numbers that cannot arrive: `event` ring_dropped or epoch_began.
package struct Declaration: Equatable, Sendable {
    package var stream: StreamID
    package var sequences: ClosedRange<UInt64>
    /// `overwritten` if the gateway sent no reason or an unknown one.
    package var reason: GatewayEvent.DropReason

    /// Returns the declarations of an event record; most events have none.
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

/// Identifies a ring log: gateway and epoch.
struct EpochName: Hashable, Comparable {
    var gateway: GatewayID
    var epoch: String

    static func < (left: EpochName, right: EpochName) -> Bool {
        (left.gateway, left.epoch) < (right.gateway, right.epoch)
    }
}

/// Ledger of one ring log of one gateway, within which numbers are unique per stream.
struct EpochLedger {
    private(set) var streams: [StreamID: StreamLedger] = [:]
    /// In the order of arrival.
    private(set) var claims: [ManifestClaim] = []
    private(set) var declarations: [Declaration] = []
    /// Number of `marks` received, by erg.
    private var marks: [StationID: Int] = [:]
    /// Initial ledger of a new stream.
    private var newStream = StreamLedger()

    /// Ends listening. Numbers that the gateway announces later are not expected.
    mutating func close() {
        newStream.close()
        for stream in streams.keys { streams[stream]?.close() }
    }

    /// Inserts a record. Returns false if a record with its number is there already.
    mutating func insert(_ record: ReceivedRecord, of stream: StreamID) throws(RecordDefect) -> Bool {
        let isNew = streams[stream, default: newStream]
            .insert(record.sequence, digest: SHA256Digest.hexadecimal(of: [record.stored]))
        guard isNew else { return false }
        guard let station = stream.station else {
            declarations += Declaration.all(in: record)
            return true
        }
        let isInTime = streams[stream]?.isInTime(record.sequence) == true
        guard stream.kind == .manifest, isInTime else { return true }
        guard let claim = ManifestClaim(record, of: station) else {
            throw RecordDefect(reason: "a manifest without its counts")
        }
        claims.append(claim)
        if let strokes = claim.strokes {
            let stream = StreamID(station: station, kind: .stroke)
            streams[stream, default: newStream].expect(from: strokes.lowerBound)
            streams[stream]?.announce(strokes.upperBound)
        }
        return true
    }

    /// Applies the last number of a stream, from `birth` or `health`.
    mutating func announce(_ sequence: UInt64, of stream: StreamID) {
        streams[stream, default: newStream].announce(sequence)
    }

    /// Applies the last numbers of an erg's streams. The first marks may be retained ones from before the
    /// subscription. After the second marks, all later numbers are expected.
    mutating func apply(marks fields: [StreamKind: UInt64], of station: StationID) {
        marks[station, default: 0] += 1
        for kind in StreamKind.ofStation {
            let stream = StreamID(station: station, kind: kind)
            let last = fields[kind] ?? 0
            announce(last, of: stream)
            if marks[station] == 2 { streams[stream]?.expect(from: last + 1) }
        }
    }

    /// Expects all streams from their first number on.
    mutating func expectEverything() {
        for stream in streams.keys { streams[stream]?.expect(from: 1) }
    }
}
