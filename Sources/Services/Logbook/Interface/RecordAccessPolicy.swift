import Contract
import LogbookStores
import Plans

/// Decides which records a request can see. For records of another athlete, an athlete gets exactly the error
/// for missing records, so that the error does not reveal the athletes of the club.
struct RecordAccessPolicy: Sendable {
    /// The only visible athlete; nil for all athletes.
    let athlete: String?

    static let everything = RecordAccessPolicy(athlete: nil)

    init(_ identity: AccessControl.Identity) { athlete = identity.athlete }

    private init(athlete: String?) { self.athlete = athlete }

    /// Returns the athlete id if it is visible. Throws "unknown athlete" otherwise.
    func authorizedAthlete(_ slug: String) throws(InterfaceFault) -> String {
        guard athlete == nil || slug == athlete else {
            throw RecordRequestHandler.unknownAthlete(slug)
        }
        return slug
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
        guard let athlete, !session.isCorrected else { return true }
        return StoredRecord.text(of: "athlete_id", in: record).map { $0 == athlete } ?? true
    }

    /// Returns the plan without the other athletes of its group; nil if the athlete is not in the group.
    func visiblePart(of plan: TrainingPlan) throws -> TrainingPlan? {
        guard let athlete else { return plan }
        guard plan.group.athletes.contains(athlete) else { return nil }
        var group = plan.group
        group.athletes = [athlete]
        return try plan.assigned(to: group)
    }
}
