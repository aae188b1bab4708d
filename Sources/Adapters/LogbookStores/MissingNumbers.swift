import Contract
import DeliveryProof

/// Numbers of a stream that are owed and not here, and what is known of them.
package struct MissingNumbers: Equatable, Sendable {
    /// Why they are not here.
    package enum Cause: Equatable, Sendable {
        /// Nobody has said: the gateway can be asked.
        case unknown
        /// The gateway, asked for them, had no such records.
        case gone
        /// They came, and their records broke the contract.
        case refused
        /// The gateway said so by itself.
        case declared(GatewayEvent.DropReason)
    }

    /// The first and the last of them.
    package var sequences: ClosedRange<UInt64>
    /// Why they are not here.
    package var cause: Cause

    /// Whether records that there were, or may have been, are nowhere, against anybody's wish.
    package var isLoss: Bool {
        switch cause {
        case .unknown, .gone, .refused: true
        case .declared(let reason): reason.isLoss
        }
    }

    /// In order, each with one cause; what was declared is that, also where it was asked for.
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
