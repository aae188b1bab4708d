import Contract

/// Whether everything arrived, and if not, what is missing and who said so.
package struct DeliveryVerdict: Equatable, Sendable {
    /// Numbers that did not arrive.
    package struct Missing: Equatable, Sendable {
        /// The first and the last of them.
        package var sequences: ClosedRange<UInt64>
        /// nil: nobody knows why, so it is a fault of the transport or of the gateway.
        package var declared: GatewayEvent.DropReason?

        /// Whether a record that the number had, or may have had, is nowhere else, against anybody's
        /// wish.
        package var isLoss: Bool { declared?.isLoss ?? true }
    }

    /// What became of one stream of one gateway in one epoch.
    package struct Stream: Equatable, Sendable {
        /// The gateway that numbered the stream.
        package var gateway: GatewayID
        /// ULID of the ring that the numbers belong to.
        package var epoch: String
        /// Erg and kind.
        package var stream: StreamID
        /// nil when nothing was owed.
        package var owed: ClosedRange<UInt64>?
        /// Different numbers that arrived.
        package var received: UInt64
        /// Records that came again, the same each time.
        package var repeats: Int
        /// Numbers that came with two contents.
        package var altered: [ClosedRange<UInt64>]
        /// Numbers of `owed` that did not arrive, declared or not.
        package var missing: [Missing]

        /// Without the numbers that a power cut left over, that another epoch has, or that somebody
        /// wanted erased.
        package var lost: [Missing] { missing.filter(\.isLoss) }
    }

    /// What became of one session whose manifest was heard.
    package struct Session: Equatable, Sendable {
        /// The gateway that recorded it.
        package var gateway: GatewayID
        /// ULID of the ring that it was recorded in.
        package var epoch: String
        /// Where it was rowed.
        package var station: StationID
        /// Its ULID.
        package var id: String
        /// How many strokes its manifest claims.
        package var strokes: UInt64
        /// Whether its records are those that the manifest claims.
        package var proof: SessionProof
    }

    /// A message on a durable topic that is no record.
    package struct Defect: Equatable, Sendable {
        /// The topic that it came on.
        package var topic: String
        /// What is wrong with it.
        package var words: String
    }

    /// In the order of gateway, epoch, erg and kind.
    package var streams: [Stream] = []
    /// In the order of gateway, epoch and erg; of one erg as they ended.
    package var sessions: [Session] = []
    /// The first ten messages on durable topics that are no records.
    package var defects: [Defect] = []
    /// How many such messages came.
    package var defectCount = 0

    /// The verdict before anything was heard.
    package init() {}

    /// Nothing came that could be proven complete.
    package var isEmpty: Bool { streams.allSatisfy { $0.owed == nil } && defectCount == 0 }

    /// Whether every record is here, once or more often but always the same, sessions add up to
    /// their manifests, and nothing else came in between. Numbers that a power cut left without a
    /// record are not missing; those that the ring lost are, although they are declared.
    package var isComplete: Bool {
        !isEmpty && defectCount == 0 && missingCount == 0
            && streams.allSatisfy(\.altered.isEmpty)
            && sessions.allSatisfy { $0.proof == .proven }
    }

    /// Records that should have arrived, of all streams.
    package var owedCount: UInt64 { streams.reduce(0) { $0 + ($1.owed?.length ?? 0) } }

    /// Records that did not arrive and are known to have been there.
    package var missingCount: UInt64 {
        lost.reduce(0) { $0 + $1.missing.sequences.length }
    }

    /// What is missing, stream by stream, without the numbers that a power cut left over, or that
    /// another epoch has.
    package var lost: [(stream: Stream, missing: Missing)] {
        streams.flatMap { stream in stream.lost.map { (stream, $0) } }
    }

    /// What a replay may bring: everything missing that no declaration covers.
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
        where stream.extent.owed != nil || !stream.extent.received.isEmpty {
            let declarations = ledger.declarations.filter { $0.stream == id }
            streams.append(
                Stream(
                    gateway: name.gateway, epoch: name.epoch, stream: id,
                    owed: stream.extent.owed, received: stream.extent.received.count,
                    repeats: stream.repeats, altered: stream.altered.ranges,
                    missing: stream.extent.missing.flatMap {
                        Missing.split($0, by: declarations)
                    }))
        }
    }
}

extension GatewayEvent.DropReason {
    /// Whether records that there were, or may have been, are nowhere, against anybody's wish.
    package var isLoss: Bool {
        switch self {
        case .overwritten, .unreadable: true
        case .notDurable, .earlierEpoch, .erased, .tooLong: false
        }
    }
}

extension DeliveryVerdict.Missing {
    /// A missing range in pieces, each covered by one declaration or by none.
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
    /// Ergs first, the gateway's own last; within one, as the kinds are numbered.
    fileprivate var order: (Int, String, UInt8) {
        (station == nil ? 1 : 0, station?.slug ?? "", kind.rawValue)
    }
}
