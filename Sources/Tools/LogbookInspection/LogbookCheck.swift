import Contract
import DeliveryProof
import LogbookStores

/// Checks whether the logbook is complete: the numbers of each stream, each session against its manifest,
/// and the store itself.
package struct LogbookCheck: Equatable, Sendable {
    /// A session that does not match its manifest.
    package struct Doubt: Equatable, Sendable {
        package var session: StoredSession
        /// nil if the manifest cannot be read.
        package var proof: SessionProof?
    }

    /// Location of the store.
    package var place: String
    package var size: StoreSize
    /// Bytes that the store needs in a year; nil if unknown.
    package var bytesPerYear: Int?
    /// Streams with a stored or pending record.
    package var streams: [StreamSummary]
    /// Number of sessions that match their manifests.
    package var verified: Int
    /// Number of sessions without a manifest.
    package var open: Int
    package var doubts: [Doubt]
    /// Sessions named by foreign strokes.
    package var foreign: [StoredSession] = []
    /// The newest numbers that arrived with two contents, a thousand at most.
    package var conflicts: [StoredConflict]
    /// Descriptions of inconsistencies within the store.
    package var faults: [String]

    static let conflictLimit = 1000

    /// Reads the whole store and compares every session with its manifest again.
    ///
    /// - Parameter now: Unix milliseconds; nil if the clock may be wrong.
    package init(_ store: any LogbookStore, at now: Int64? = nil) throws(StoreFailure) {
        place = store.place
        size = try store.size()
        if let now { bytesPerYear = try store.bytesPerYear(at: now) }
        streams = try StreamSummary.all(in: store)
        (verified, open, doubts) = (0, 0, [])
        conflicts = try store.conflicts(limit: Self.conflictLimit)
        faults = try store.faults()
        try judge(store)
    }

    private mutating func judge(_ store: any LogbookStore) throws(StoreFailure) {
        for session in try store.sessions(SessionFilter(limit: Int(Int32.max))) {
            if session.foreignStrokes > 0 { foreign.append(session) }
            let proof = try store.evidence(of: session.name).map {
                $0.claim.proof(strokes: $0.strokes, received: $0.counts)
            }
            switch (session.state, proof) {
            case (.open, nil): open += 1
            case (.verified, nil) where session.isThinned: verified += 1
            case (_, .proven): verified += 1
            default: doubts.append(Doubt(session: session, proof: proof))
            }
        }
    }

    /// Number of records that are lost or have not arrived yet.
    package var lost: UInt64 { streams.reduce(0) { $0 + $1.lost } }

    /// Number of records that were removed on purpose.
    package var removed: UInt64 { streams.reduce(0) { $0 + $1.state.removed.count } }

    /// Whether the store equals its earlier state: a sound store can lack records that never arrived. An
    /// empty store is not sound.
    package var isSound: Bool {
        size.records > 0 && faults.isEmpty && !doubts.contains { $0.session.state == .verified }
    }

    /// Whether nothing is missing or wrong; an empty store is not complete.
    package var isComplete: Bool {
        size.records > 0 && lost == 0 && doubts.isEmpty && conflicts.isEmpty && faults.isEmpty
    }
}
