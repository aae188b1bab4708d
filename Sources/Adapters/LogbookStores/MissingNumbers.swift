import Contract
import DeliveryProof

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
