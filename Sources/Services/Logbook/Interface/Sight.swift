import Contract
import LogbookStores
import Plans

/// Whose records somebody may see. What is another's is for an athlete as if it were not there: the same
/// refusal, word for word, so that nobody learns who rows here.
struct Sight: Sendable {
    /// nil for everybody's.
    let athlete: String?

    static let whole = Sight(athlete: nil)

    init(_ guest: Access.Guest) { athlete = guest.athlete }

    private init(athlete: String?) { self.athlete = athlete }

    /// The athlete of that id, if they may be seen.
    func athlete(_ slug: String) throws(InterfaceFault) -> String {
        guard athlete == nil || slug == athlete else { throw RecordAnswers.unknownAthlete(slug) }
        return slug
    }

    /// The same for one who may be left out, and is this guest then.
    func athlete(asked slug: String?) throws(InterfaceFault) -> String? {
        guard let slug else { return athlete }
        return try athlete(slug)
    }

    func shows(_ session: KeptSession) -> Bool { athlete == nil || session.athlete == athlete }

    /// Whether a record of a session that may be seen may be: in the middle of one another athlete may
    /// have been seated.
    func shows(_ record: [UInt8]) -> Bool {
        guard let athlete else { return true }
        return StoredRecord.text(of: "athlete_id", in: record).map { $0 == athlete } ?? true
    }

    /// A plan as they may see it, without the others of its group; nil where they are not in it.
    func seen(_ plan: TrainingPlan) throws -> TrainingPlan? {
        guard let athlete else { return plan }
        guard plan.group.athletes.contains(athlete) else { return nil }
        var group = plan.group
        group.athletes = [athlete]
        return try plan.assigned(to: group)
    }
}
