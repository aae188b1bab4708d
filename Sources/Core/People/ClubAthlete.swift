import Bytes

/// An athlete of the club: with a profile, with sessions, or with both.
package struct ClubAthlete: Equatable, Sendable {
    /// An athlete id.
    package let id: String
    /// The number of sessions.
    package var sessions: Int
    /// When the first and the last of them began, in Unix milliseconds; nil without sessions.
    package var times: ClosedRange<Int64>?
    /// nil for an athlete whom only records name.
    package var profile: AthleteProfile?
    /// The ids of the athlete's groups, in order.
    package var groups: [String]
    /// The ids that were merged into this one, in order. Records may name them.
    package var mergedIDs: [String]

    package init(
        id: String, sessions: Int = 0, times: ClosedRange<Int64>? = nil,
        profile: AthleteProfile? = nil, groups: [String] = [], mergedIDs: [String] = []
    ) {
        (self.id, self.sessions, self.times) = (id, sessions, times)
        (self.profile, self.groups, self.mergedIDs) = (profile, groups, mergedIDs)
    }

    /// Writes the members into an open object.
    ///
    /// - Parameter withNote: whether to include the coaches' note.
    package func write(into json: inout JSONWriter, withNote: Bool = true) {
        json.field("athlete_id", id)
        json.field("sessions", sessions)
        json.field("first_ms", times?.lowerBound)
        json.field("last_ms", times?.upperBound)
        if var profile {
            if !withNote { profile.note = nil }
            profile.writeDetails(into: &json)
        }
        if !groups.isEmpty { json.field("groups", groups) }
        if !mergedIDs.isEmpty { json.field("merged_ids", mergedIDs) }
    }
}
