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
        case .unknown, .gone: true
        case .declared(let reason): reason.isLoss
        }
    }

    /// In order, each with one cause; what was declared is that, also where it was asked for.
    package static func all(
        of extent: StreamExtent, gone: SequenceSet, declared: [Declaration]
    ) -> [Self] {
        extent.missing.flatMap { DeliveryVerdict.Missing.split($0, by: declared) }
            .flatMap { piece -> [Self] in
                if let reason = piece.declared {
                    return [Self(sequences: piece.sequences, cause: .declared(reason))]
                }
                let open = gone.missing(from: piece.sequences)
                var asked = SequenceSet()
                for range in open { asked.insert(range) }
                return open.map { Self(sequences: $0, cause: .unknown) }
                    + asked.missing(from: piece.sequences).map {
                        Self(sequences: $0, cause: .gone)
                    }
            }
            .sorted { $0.sequences.lowerBound < $1.sequences.lowerBound }
    }
}
