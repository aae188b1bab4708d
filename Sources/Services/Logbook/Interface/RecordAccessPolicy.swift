import Contract
import LogbookStores
import Plans
import Timeline

/// Decides which records a request can see. For records of another athlete, an athlete gets exactly the error
/// for missing records, so that the error does not reveal the athletes of the club.
struct RecordAccessPolicy: Sendable {
    /// The only visible athlete; nil for all athletes.
    let athlete: String?
    /// The ids that were merged into that athlete, which records may name.
    private let mergedIDs: Set<String>
    /// Whether planned workouts are visible before their time. Only coaches see them.
    private let showsHiddenWorkouts: Bool

    static let everything = RecordAccessPolicy()

    init(_ identity: AccessControl.Identity) {
        (athlete, mergedIDs) = (identity.athlete, identity.mergedIDs)
        showsHiddenWorkouts = identity.role.includes(.coach)
    }

    private init() { (athlete, mergedIDs, showsHiddenWorkouts) = (nil, [], true) }

    private func isVisible(_ id: String) -> Bool { id == athlete || mergedIDs.contains(id) }

    /// Returns the athlete id if it is visible, or the id into which it was merged. Throws "unknown athlete" otherwise.
    func authorizedAthlete(_ slug: String) throws(InterfaceFault) -> String {
        guard let athlete else { return slug }
        guard isVisible(slug) else { throw RecordRequestHandler.unknownAthlete(slug) }
        return athlete
    }

    /// Returns the requested athlete if visible. Without a request, returns the only visible athlete, if any.
    func athlete(requested slug: String?) throws(InterfaceFault) -> String? {
        guard let slug else { return athlete }
        return try authorizedAthlete(slug)
    }

    func allows(_ session: StoredSession) -> Bool { athlete == nil || session.athlete == athlete }

    /// Whether a record of a visible session is visible. Another athlete may have been assigned during the
    /// session. A corrected session belongs to one athlete, whomever its records name.
    func allows(_ record: [UInt8], of session: StoredSession) -> Bool {
        guard athlete != nil, !session.isCorrected else { return true }
        return StoredRecord.text(of: "athlete_id", in: record).map(isVisible) ?? true
    }

    /// Returns the plan without the other athletes of its group, and without the content of workouts that are
    /// still hidden; nil if the athlete is not in the group.
    ///
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - calendar: the club's calendar.
    func visiblePart(
        of plan: TrainingPlan, at now: Int64, in calendar: ClubCalendar
    ) throws -> TrainingPlan? {
        let plan = showsHiddenWorkouts ? plan : try plan.withoutHiddenContent(at: now, in: calendar)
        guard let athlete else { return plan }
        guard plan.group.athletes.contains(athlete) else { return nil }
        var group = plan.group
        group.athletes = [athlete]
        return try plan.assigned(to: group)
    }
}
