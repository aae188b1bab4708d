import Bytes
import Contract

extension StoredSession {
    /// Writes the contract's members and `state` into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("gw", name.gateway.slug)
        json.field("erg", station.slug)
        json.field("session_id", name.session)
        json.field("athlete_id", athlete)
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

extension StoredAthlete {
    /// From an athlete's sessions, in any order; nil without sessions.
    package init?(_ slug: String, in sessions: [StoredSession]) {
        guard let first = sessions.map(\.firstAt).min(), let last = sessions.map(\.firstAt).max()
        else { return nil }
        self.init(slug: slug, sessions: sessions.count, firstAt: first, lastAt: last)
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("athlete_id", slug)
        json.field("sessions", sessions)
        json.field("first_ms", firstAt)
        json.field("last_ms", lastAt)
    }
}
