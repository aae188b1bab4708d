import Bytes

/// The merge of an athlete id into another one, because both are one person.
package struct AthleteMerge: Equatable, Sendable {
    /// The merged id, whose sessions count for `kept`.
    package let athlete: String
    package let kept: String
    /// The id for which the sessions count: `kept`, unless that one was merged later.
    package let current: String
    /// The name of the merged athlete; nil without a profile, and once the merge cannot be undone.
    package var name: String?
    /// The number of sessions of the merged athlete; only of a merge that is made, previewed or undone now.
    package var sessions: Int?
    /// Unix milliseconds.
    package let mergedAt: Int64
    /// The name of the token or user that sent it; nil for a command on the machine.
    package let by: String?
    /// Until when it can be undone, in Unix milliseconds; nil once it cannot.
    package let undoUntil: Int64?
    /// The fields of the kept profile that change; only of a merge that is made or previewed now.
    package var changedFields: [AthleteField] = []
    /// How many devices of the merged athlete are signed in; only of a merge that is made or previewed now.
    package var devices: Int?

    package init(
        athlete: String, kept: String, current: String, mergedAt: Int64, by: String?, undoUntil: Int64?
    ) {
        (self.athlete, self.kept, self.current) = (athlete, kept, current)
        (self.mergedAt, self.by, self.undoUntil) = (mergedAt, by, undoUntil)
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("athlete_id", athlete)
        json.field("kept_athlete_id", kept)
        if current != kept { json.field("current_athlete_id", current) }
        json.field("name", name)
        json.field("sessions", sessions)
        json.field("merged_ms", mergedAt)
        json.field("merged_by", by)
        json.field("undo_until_ms", undoUntil)
        if !changedFields.isEmpty { json.field("changed_fields", changedFields.map(\.rawValue)) }
        json.field("devices", devices)
    }
}
