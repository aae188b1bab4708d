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
