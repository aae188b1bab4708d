import Contract
import DeliveryProof
import LogbookStores

/// Whether the logbook has everything: each stream's numbers, each session against its manifest, the
/// store itself.
package struct LogbookCheck: Equatable, Sendable {
    /// A session that is not what its manifest says.
    package struct Doubt: Equatable, Sendable {
        package var session: KeptSession
        /// nil where its manifest cannot be read.
        package var proof: SessionProof?
    }

    /// Where the store is.
    package var place: String
    package var size: StoreSize
    /// Those of which a record is here or owed.
    package var streams: [StreamAccount]
    /// Sessions whose records are what their manifests say.
    package var verified: Int
    /// Sessions whose manifest has not come.
    package var open: Int
    package var doubts: [Doubt]
    /// Sessions that foreign strokes name.
    package var foreign: [KeptSession] = []
    /// The newest numbers that came with two contents, a thousand at most.
    package var conflicts: [StoredConflict]
    /// What is wrong inside the store, in words.
    package var faults: [String]

    static let conflictLimit = 1000

    /// Reads all of the store; every session is held against its manifest anew.
    package init(
        _ store: any LogbookStore, digest: @escaping RecordDigest
    ) throws(StoreFailure) {
        place = store.place
        size = try store.size()
        streams = try StreamAccount.all(in: store)
        (verified, open, doubts) = (0, 0, [])
        conflicts = try store.conflicts(limit: Self.conflictLimit)
        faults = try store.faults()
        try judge(store, digest)
    }

    private mutating func judge(
        _ store: any LogbookStore, _ digest: @escaping RecordDigest
    ) throws(StoreFailure) {
        for session in try store.sessions(SessionFilter(limit: Int(Int32.max))) {
            if session.foreignStrokes > 0 { foreign.append(session) }
            let proof = try store.evidence(of: session.name).map {
                $0.claim.proof(strokes: $0.strokes, received: $0.counts, digest: digest)
            }
            switch (session.state, proof) {
            case (.open, nil): open += 1
            case (.verified, nil) where session.isThinned: verified += 1
            case (_, .proven): verified += 1
            default: doubts.append(Doubt(session: session, proof: proof))
            }
        }
    }

    /// Records that are nowhere, or have not come yet.
    package var lost: UInt64 { streams.reduce(0) { $0 + $1.lost } }

    /// Records that were removed on purpose.
    package var removed: UInt64 { streams.reduce(0) { $0 + $1.state.removed.count } }

    /// Whether it is what was once written: a store can be sound and lack records that never came. One
    /// without a record proves nothing.
    package var isSound: Bool {
        size.records > 0 && faults.isEmpty && !doubts.contains { $0.session.state == .verified }
    }

    /// Whether nothing is amiss; a store without a record proves nothing.
    package var isComplete: Bool {
        size.records > 0 && lost == 0 && doubts.isEmpty && conflicts.isEmpty && faults.isEmpty
    }
}
