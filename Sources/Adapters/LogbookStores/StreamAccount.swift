import Bytes
import Contract
import DeliveryProof

/// One stream, and what it lacks.
package struct StreamAccount: Equatable, Sendable {
    package var state: StreamState
    /// In order.
    package var missing: [MissingNumbers]

    /// Streams of which a record is here or owed, in order of gateway, epoch, erg and kind.
    ///
    /// - Parameter gateway: whose; nil for all.
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

    /// How many records are nowhere, or have not come yet.
    package var lost: UInt64 {
        missing.filter(\.isLoss).reduce(0) { $0 + $1.sequences.length }
    }
}

// MARK: For programs

extension StreamAccount {
    /// Its members, in an object that is open.
    ///
    /// - Parameter mostRanges: of missing numbers that are listed.
    package func write(into json: inout JSONWriter, mostRanges: Int = .max) {
        json.field("gw", state.stream.gateway.slug)
        json.field("epoch", state.stream.epoch)
        json.field("erg", state.stream.stream.station?.slug)
        json.field("kind", state.stream.stream.kind.topicName)
        json.field("from_seq", state.extent.owed?.lowerBound)
        json.field("to_seq", state.extent.owed?.upperBound)
        json.field("stored", state.extent.received.count)
        json.field("repeats", state.repeats)
        json.field("conflicts", state.conflicts)
        json.list("missing", of: missing.prefix(mostRanges)) { json, missing in
            json.field("from_seq", missing.sequences.lowerBound)
            json.field("to_seq", missing.sequences.upperBound)
            json.field("cause", missing.cause.word)
        }
    }
}

extension MissingNumbers.Cause {
    fileprivate var word: String {
        switch self {
        case .unknown: "unknown"
        case .gone: "gone"
        case .refused: "refused"
        case .declared(let reason): reason.rawValue
        }
    }
}
