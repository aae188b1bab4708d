import Bytes
import Contract

/// Whether all expected records arrived, and which are missing or wrong.
package struct DeliveryVerdict: Equatable, Sendable {
    /// A range of numbers that did not arrive.
    package struct Missing: Equatable, Sendable {
        package var sequences: ClosedRange<UInt64>
        /// The reason that the gateway declared; nil without one: a fault of transport or gateway.
        package var declared: GatewayEvent.DropReason?

        /// Whether records were lost, or may have been. See `DropReason.isLoss`.
        package var isLoss: Bool { declared?.isLoss ?? true }
    }

    /// Result for one stream of one gateway in one epoch.
    package struct Stream: Equatable, Sendable {
        /// The gateway that numbered the stream.
        package var gateway: GatewayID
        /// ULID of the ring that the numbers belong to.
        package var epoch: String
        /// Erg and kind.
        package var stream: StreamID
        /// Expected numbers; nil if none.
        package var expected: ClosedRange<UInt64>?
        /// Count of distinct numbers received.
        package var received: UInt64
        /// Count of identical duplicates.
        package var repeats: Int
        /// Numbers that were received with two different contents.
        package var altered: [ClosedRange<UInt64>]
        /// Numbers of `expected` that did not arrive, declared or not.
        package var missing: [Missing]

        /// Missing numbers whose records were lost. See `DropReason.isLoss`.
        package var lost: [Missing] { missing.filter(\.isLoss) }
    }

    /// Result for one session whose manifest was received.
    package struct Session: Equatable, Sendable {
        /// The gateway that recorded it.
        package var gateway: GatewayID
        /// ULID of the ring that it was recorded in.
        package var epoch: String
        /// The session's erg.
        package var station: StationID
        /// ULID of the session.
        package var id: String
        /// Number of strokes according to the manifest.
        package var strokes: UInt64
        /// Whether the records match the manifest.
        package var proof: SessionProof
    }

    /// A message on a durable topic that is not a record.
    package struct Defect: Equatable, Sendable {
        package var topic: String
        /// Why it is not a record.
        package var reason: String
    }

    /// In the order of gateway, epoch, erg and kind.
    package var streams: [Stream] = []
    /// In the order of gateway, epoch and erg; sessions of one erg in the order of their ends.
    package var sessions: [Session] = []
    /// The first ten messages on durable topics that are not records.
    package var defects: [Defect] = []
    /// Count of all such messages.
    package var defectCount = 0

    /// An empty verdict.
    package init() {}

    /// Whether no record or defect was received that counts for the verdict.
    package var isEmpty: Bool { streams.allSatisfy { $0.expected == nil } && defectCount == 0 }

    /// Whether all expected records arrived, duplicates are identical, sessions match their manifests,
    /// and there are no defects. Numbers that a power cut left unused are not missing. Numbers that the
    /// ring lost are missing, although the gateway declared them.
    package var isComplete: Bool {
        !isEmpty && defectCount == 0 && missingCount == 0
            && streams.allSatisfy(\.altered.isEmpty)
            && sessions.allSatisfy { $0.proof == .proven }
    }

    /// Count of expected records, of all streams.
    package var expectedCount: UInt64 { streams.reduce(0) { $0 + ($1.expected?.length ?? 0) } }

    /// Count of lost records, of all streams.
    package var missingCount: UInt64 {
        lost.reduce(0) { $0 + $1.missing.sequences.length }
    }

    /// Lost records, stream by stream.
    package var lost: [(stream: Stream, missing: Missing)] {
        streams.flatMap { stream in stream.lost.map { (stream, $0) } }
    }

    /// Ranges that a replay may deliver: missing numbers without a declaration.
    package var replayable: [(gateway: GatewayID, request: ReplayRequest)] {
        lost.filter { $0.missing.declared == nil }.map {
            (
                $0.stream.gateway,
                ReplayRequest(stream: $0.stream.stream, sequences: $0.missing.sequences)
            )
        }
    }

    mutating func add(_ ledger: EpochLedger, _ name: EpochName) {
        let ordered = ledger.streams.sorted { $0.key.order < $1.key.order }
        for (id, stream) in ordered
        where stream.extent.expected != nil || !stream.extent.received.isEmpty {
            let declarations = ledger.declarations.filter { $0.stream == id }
            streams.append(
                Stream(
                    gateway: name.gateway, epoch: name.epoch, stream: id,
                    expected: stream.extent.expected, received: stream.extent.received.count,
                    repeats: stream.repeats, altered: stream.altered.ranges,
                    missing: stream.extent.missing.flatMap {
                        Missing.split($0, by: declarations)
                    }))
        }
    }
}

extension GatewayEvent.DropReason {
    /// Whether records existed, or may have existed, and are lost. False for numbers that a power cut
    /// left unused, that another epoch has, that were erased on request, or that only the ring has.
    package var isLoss: Bool {
        switch self {
        case .overwritten, .unreadable: true
        case .notDurable, .earlierEpoch, .erased, .tooLong: false
        }
    }
}

extension DeliveryVerdict.Missing {
    /// Splits a missing range so that each part has one declaration or none.
    package static func split(
        _ range: ClosedRange<UInt64>, by declarations: [Declaration]
    ) -> [Self] {
        var pieces: [Self] = []
        var declared = SequenceSet()
        for declaration in declarations where declaration.sequences.overlaps(range) {
            let covered = declaration.sequences.clamped(to: range)
            for part in declared.missing(from: covered) {
                pieces.append(Self(sequences: part, declared: declaration.reason))
            }
            declared.insert(covered)
        }
        pieces += declared.missing(from: range).map { Self(sequences: $0, declared: nil) }
        return pieces.sorted { $0.sequences.lowerBound < $1.sequences.lowerBound }
    }
}

extension DeliveryVerdict.Session {
    init(_ name: EpochName, _ claim: ManifestClaim, _ proof: SessionProof) {
        self.init(
            gateway: name.gateway, epoch: name.epoch, station: claim.station, id: claim.session,
            strokes: claim.strokeCount, proof: proof)
    }
}

extension StreamID {
    /// Sort key: ergs by slug, then the gateway; kinds by their number.
    fileprivate var order: (Int, String, UInt8) {
        (station == nil ? 1 : 0, station?.slug ?? "", kind.rawValue)
    }
}

/// The verdict as JSON.
extension DeliveryVerdict {
    /// One JSON object on one line, with the fields that the manual page lists.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.field("complete", isComplete)
            json.field("owed", expectedCount)
            json.field("missing", missingCount)
            json.list("streams", of: streams) { $1.write(into: &$0) }
            json.list("sessions", of: sessions) { $1.write(into: &$0) }
            json.field("unreadable", defectCount)
            json.list("defects", of: defects) { json, defect in
                json.field("topic", defect.topic)
                json.field("reason", defect.reason)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension DeliveryVerdict.Stream {
    fileprivate func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("epoch", epoch)
        json.field("erg", stream.station?.slug)
        json.field("kind", stream.kind.topicName)
        json.field("from_seq", expected?.lowerBound)
        json.field("to_seq", expected?.upperBound)
        json.field("received", received)
        json.field("repeats", repeats)
        json.list("altered", of: altered) { $0.range($1) }
        json.list("missing", of: missing) { $0.range($1.sequences, declared: $1.declared) }
    }
}

extension DeliveryVerdict.Session {
    fileprivate func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("epoch", epoch)
        json.field("erg", station.slug)
        json.field("session_id", id)
        json.field("strokes", strokes)
        switch proof {
        case .proven: json.field("proof", "proven")
        case .strokesMissing(let count):
            json.field("proof", "strokes_missing")
            json.field("missing", count)
        case .digestDiffers: json.field("proof", "digest_differs")
        case .countDiffers(let kind, let received, let count):
            json.field("proof", "count_differs")
            json.field("kind", kind.topicName)
            json.field("received", received)
            json.field("counted", count)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func range(
        _ range: ClosedRange<UInt64>, declared: GatewayEvent.DropReason? = nil
    ) {
        field("from_seq", range.lowerBound)
        field("to_seq", range.upperBound)
        field("declared", declared?.rawValue)
    }
}
