import Bytes
import Contract
import DeliveryProof

/// A session according to its records; a value that no record contains is nil.
package struct StoredSession: Equatable, Sendable {
    /// Gateway and ULID.
    package var name: SessionName
    /// The erg.
    package var station: StationID
    /// The rower: an opaque slug.
    package var athlete: String?
    /// Time of its first record in Unix milliseconds; lists are sorted by it.
    package var firstAt: Int64
    /// Unix milliseconds, from its records.
    package var startedAt: Int64?
    /// Unix milliseconds.
    package var endedAt: Int64?
    /// The monitor's workout type, as named in the contract.
    package var workout: String?
    /// The machine type as named in the contract; nil in records of older gateways.
    package var machineType: String?
    /// Metres of work, by the summary.
    package var distance: Double?
    /// Seconds of work, by the summary.
    package var resultTime: Double?
    /// Seconds per 500 m over the work, by the summary.
    package var averagePace: Double?
    /// Number of stored strokes, without foreign ones.
    package var strokes: Int
    /// Number of stored strokes that name the session but are not in its manifest.
    package var foreignStrokes = 0
    /// The comparison with its manifest.
    package var state: SessionState
    /// Whether records of it were removed on purpose after it was judged.
    package var isThinned = false
    /// Whether a person has corrected the athlete. Its records name the athlete that the gateway recorded.
    package var isCorrected = false
}

/// The result of comparing a session with its manifest.
package enum SessionState: String, CaseIterable, Sendable {
    /// No manifest yet: it is in progress, or its end was not received.
    case open
    /// All records are stored and match the gateway's manifest.
    case verified
    /// Records are missing and may still arrive.
    case missing
    /// Records are missing and no longer available.
    case gone
    /// All available records are stored, but they do not match the manifest.
    case differs
}

/// Conditions on sessions; nil means any.
package struct SessionFilter: Equatable, Sendable {
    /// Gateway of the session.
    package var gateway: GatewayID?
    /// Session id, unique within a gateway.
    package var session: String?
    /// Erg of the session.
    package var station: StationID?
    /// Slug of the athlete.
    package var athlete: String?
    /// Whether only sessions without an athlete are wanted.
    package var hasNoAthlete = false
    /// Allowed states.
    package var states: Set<SessionState>?
    /// Sessions whose `firstAt` is in this range, in Unix milliseconds.
    package var times: Range<Int64>?
    /// Omits sessions whose stored metrics have another workout. Sessions without metrics stay.
    package var workout: WorkoutCondition?
    /// Continues a list after this session.
    package var after: SessionCursor?
    /// Maximum number of sessions.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }
}

/// A workout in notation, and the version of the metrics that have it.
package struct WorkoutCondition: Equatable, Sendable {
    package var notation: String
    package var version: Int

    package init(notation: String, version: Int) { (self.notation, self.version) = (notation, version) }
}

/// The position after a session in a list.
package struct SessionCursor: Equatable, Sendable {
    /// `firstAt` and name of the last session.
    package var firstAt: Int64
    package var name: SessionName

    package init(firstAt: Int64, name: SessionName) { (self.firstAt, self.name) = (firstAt, name) }
}

/// The last session before another one on the same erg.
package struct EarlierSession: Equatable, Sendable {
    package var name: SessionName
    /// Unix milliseconds; nil if its end is not known.
    package var endedAt: Int64?

    package init(name: SessionName, endedAt: Int64?) { (self.name, self.endedAt) = (name, endedAt) }
}

/// A session's manifest and the stored records to compare with it.
package struct SessionEvidence: Sendable {
    /// The claims of the manifest.
    package var claim: ManifestClaim
    /// Stroke records in stored form, in order of their times, without foreign ones.
    package var strokes: [[UInt8]]
    /// Number of stored records of the other kinds that name the session.
    package var counts: [StreamKind: UInt64]

    /// The result of the comparison: `verified`, `differs`, or `missing` if there are too few records.
    package var state: SessionState {
        let proof = claim.proof(
            strokes: strokes, received: counts)
        switch proof {
        case .proven: return .verified
        case .strokesMissing, .countDiffers: return .missing
        case .digestDiffers: return .differs
        }
    }
}

extension StoredSession {
    /// Writes the contract's members and `state` into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("gw", name.gateway.slug)
        json.field("erg", station.slug)
        json.field("session_id", name.session)
        json.field("athlete_id", athlete)
        if isCorrected { json.field("corrected", true) }
        json.field("started_ms", startedAt)
        json.field("ended_ms", endedAt)
        json.field("workout", workout)
        json.field("machine_type", machineType)
        json.field("distance_m", distance.map { Int64(($0 * 10).rounded()) }, places: 1)
        json.field("result_time_s", resultTime.map { Int64(($0 * 100).rounded()) }, places: 2)
        json.field(
            "avg_pace_s_per_500m", averagePace.map { Int64(($0 * 100).rounded()) }, places: 2)
        json.field("strokes", strokes)
        json.field("foreign_strokes", foreignStrokes == 0 ? nil : foreignStrokes)
        json.field("state", state.rawValue)
    }
}
