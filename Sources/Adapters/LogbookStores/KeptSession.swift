import Contract
import DeliveryProof
import HostRuntime

/// A session as its records tell it; what no record told is nil.
package struct KeptSession: Equatable, Sendable {
    /// Whose, and its ULID.
    package var name: SessionName
    /// Where it was rowed.
    package var station: StationID
    /// Who rowed: an opaque slug.
    package var athlete: String?
    /// When the first of its records was made, in Unix milliseconds; lists are in this order.
    package var firstAt: Int64
    /// Unix milliseconds, as its records say.
    package var startedAt: Int64?
    /// Unix milliseconds.
    package var endedAt: Int64?
    /// The monitor's workout type, in the contract's word.
    package var workout: String?
    /// What it was rowed on, in the contract's word; nil in records of older gateways.
    package var machineType: String?
    /// Metres of work, by the summary.
    package var distance: Double?
    /// Seconds of work, by the summary.
    package var resultTime: Double?
    /// Seconds for 500 m over the work, by the summary.
    package var averagePace: Double?
    /// Strokes that are stored, without foreign ones.
    package var strokes: Int
    /// Stored strokes that name the session and that its manifest does not name.
    package var foreignStrokes = 0
    /// How it stands against its manifest.
    package var state: SessionState
    /// Whether records of it were removed on purpose since it was judged.
    package var isThinned = false
}

/// How a session stands against its manifest.
package enum SessionState: String, CaseIterable, Sendable {
    /// No manifest has come: it goes on, or its end was not heard yet.
    case open
    /// All its records are here, and they are what the gateway recorded.
    case verified
    /// Records are missing, and may come.
    case missing
    /// Records are missing that nobody has any more.
    case gone
    /// All records that could come are here, and they are not what the manifest says.
    case differs
}

/// Which sessions are wanted; nil for any.
package struct SessionFilter: Equatable, Sendable {
    /// Of one gateway.
    package var gateway: GatewayID?
    /// Of this id: of one gateway it is one.
    package var session: String?
    /// At one place.
    package var station: StationID?
    /// Of one athlete: their slug.
    package var athlete: String?
    /// In these states.
    package var states: Set<SessionState>?
    /// Whose `firstAt` is one of these Unix milliseconds.
    package var times: Range<Int64>?
    /// Those that come behind this one: how a list goes on.
    package var after: SessionMark?
    /// At most so many.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }
}

/// Where a list of sessions goes on.
package struct SessionMark: Equatable, Sendable {
    /// `firstAt` of the session before, and its name.
    package var firstAt: Int64
    package var name: SessionName

    package init(firstAt: Int64, name: SessionName) { (self.firstAt, self.name) = (firstAt, name) }
}

/// What a session's manifest claims, and what there is.
package struct SessionEvidence: Sendable {
    /// Of the manifest.
    package var claim: ManifestClaim
    /// The stroke records in their stored form, in the order of their times, without foreign ones.
    package var strokes: [[UInt8]]
    /// Records of the other kinds that name the session.
    package var counts: [StreamKind: UInt64]

    /// How the session stands against its manifest: `verified`, `differs`, or `missing` where records are too
    /// few.
    package var state: SessionState {
        let proof = claim.proof(
            strokes: strokes, received: counts, digest: SHA256Digest.hexadecimal(of:))
        switch proof {
        case .proven: return .verified
        case .strokesMissing: return .missing
        case .countDiffers(_, let received, let count):
            return received < count ? .missing : .differs
        case .digestDiffers: return .differs
        }
    }
}
