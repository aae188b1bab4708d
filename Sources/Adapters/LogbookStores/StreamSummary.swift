import Bytes
import Contract
import DeliveryProof

/// One stream with its missing numbers.
package struct StreamSummary: Equatable, Sendable {
    package var state: StreamState
    /// In order.
    package var missing: [MissingNumbers]

    /// Streams with a stored or pending record, ordered by gateway, epoch, erg and kind.
    ///
    /// - Parameter gateway: only of this gateway; nil for all.
    package static func all(
        of gateway: GatewayID? = nil, in store: some LogbookStore
    ) throws(StoreFailure) -> [Self] {
        let declarations = Dictionary(grouping: try store.declarations()) { declared in
            StoredStream(
                gateway: declared.gateway, epoch: declared.epoch,
                stream: declared.declaration.stream)
        }
        let isWanted: (StreamState) -> Bool = { state in
            state.extent.last > 0 && (gateway == nil || state.stream.gateway == gateway)
        }
        return try store.streams().filter(isWanted).map { state in
            let declared = declarations[state.stream] ?? []
            return Self(
                state: state,
                missing: MissingNumbers.all(
                    of: state.extent, gone: state.gone, refused: state.refused,
                    declared: declared.map(\.declaration)))
        }
    }

    /// Number of records that are lost or have not arrived yet.
    package var lost: UInt64 {
        missing.filter(\.isLoss).reduce(0) { $0 + $1.sequences.length }
    }
}

// MARK: JSON

extension StreamSummary {
    /// Writes the members into an open object.
    ///
    /// - Parameter mostRanges: maximum listed ranges of missing numbers.
    package func write(into json: inout JSONWriter, mostRanges: Int = .max) {
        json.field("gw", state.stream.gateway.slug)
        json.field("epoch", state.stream.epoch)
        json.field("erg", state.stream.stream.station?.slug)
        json.field("kind", state.stream.stream.kind.topicName)
        json.field("from_seq", state.extent.expected?.lowerBound)
        json.field("to_seq", state.extent.expected?.upperBound)
        json.field("stored", state.extent.received.count)
        json.field("repeats", state.repeats)
        json.field("conflicts", state.conflicts)
        json.list("missing", of: missing.prefix(mostRanges)) { json, missing in
            json.field("from_seq", missing.sequences.lowerBound)
            json.field("to_seq", missing.sequences.upperBound)
            json.field("cause", missing.cause.wireName)
        }
    }
}

extension MissingNumbers.Cause {
    fileprivate var wireName: String {
        switch self {
        case .unknown: "unknown"
        case .gone: "gone"
        case .refused: "refused"
        case .declared(let reason): reason.rawValue
        }
    }
}

/// Sequence numbers of a stream that were expected and are not stored, with the cause.
package struct MissingNumbers: Equatable, Sendable {
    /// Why they are missing.
    package enum Cause: Equatable, Sendable {
        /// Not requested yet, or not answered.
        case unknown
        /// The gateway was queried and no longer had them.
        case gone
        /// They arrived, but the records broke the contract.
        case refused
        /// The gateway declared them lost.
        case declared(GatewayEvent.DropReason)
    }

    /// First and last number.
    package var sequences: ClosedRange<UInt64>
    package var cause: Cause

    /// Whether it is a data loss, or may be one, that no one intended.
    package var isLoss: Bool {
        switch cause {
        case .unknown, .gone, .refused: true
        case .declared(let reason): reason.isLoss
        }
    }

    /// Ordered, each with one cause; a declaration takes precedence over an answer to a request.
    package static func all(
        of extent: StreamExtent, gone: SequenceSet, refused: SequenceSet = SequenceSet(),
        declared: [Declaration]
    ) -> [Self] {
        extent.missing.flatMap { DeliveryVerdict.Missing.split($0, by: declared) }
            .flatMap { piece -> [Self] in
                if let reason = piece.declared {
                    return [Self(sequences: piece.sequences, cause: .declared(reason))]
                }
                return refused.inside(piece.sequences).map {
                    Self(sequences: $0, cause: .refused)
                }
                    + refused.missing(from: piece.sequences).flatMap { rest in
                        gone.missing(from: rest).map { Self(sequences: $0, cause: .unknown) }
                            + gone.inside(rest).map { Self(sequences: $0, cause: .gone) }
                    }
            }
            .sorted { $0.sequences.lowerBound < $1.sequences.lowerBound }
    }
}

extension SequenceSet {
    /// The numbers of a range that are in the set, in order.
    fileprivate func inside(_ range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
        var others = SequenceSet()
        for rest in missing(from: range) { others.insert(rest) }
        return others.missing(from: range)
    }
}
