import Bests
import Bytes
import Contract
import LogbookStores
import Plans
import Timeline

/// Reads and stores training plans.
package enum PlanRepository {
    /// The largest number of stored plans of people, and of those from intervals.icu, because a list reads all of them.
    package static let maximumPlans = 64

    /// A plan and the time of its last change in Unix milliseconds.
    package typealias Entry = (plan: TrainingPlan, changedAt: Int64)

    /// Returns all plans in order of id, those from intervals.icu after the others.
    package static func all(in store: any LogbookStore) throws -> [Entry] {
        let stored = try store.plans()
        let own = try stored.filter { !IntervalsPlan.isID($0.slug) }.map(entry)
        return own + (try stored.filter { IntervalsPlan.isID($0.slug) }.map(entry))
    }

    /// Returns nil if no plan has the id.
    package static func plan(_ id: String, in store: any LogbookStore) throws -> Entry? {
        try store.plans().first { $0.slug == id }.map(entry)
    }

    /// Stores a plan and replaces the one with its id. Merged athlete ids in its group are replaced by the
    /// kept ones. The time of the change is later than that of the change before, even if the clock went back,
    /// so that it identifies the change. Throws `TooManyPlans` if the store is full.
    package static func save(
        _ plan: TrainingPlan, at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws {
        let stored = try store.plans()
        let current = stored.first { $0.slug == plan.id }
        let count = stored.count { IntervalsPlan.isID($0.slug) == IntervalsPlan.isID(plan.id) }
        guard current != nil || count < maximumPlans else { throw TooManyPlans() }
        let changedAt = max(unixMilliseconds, current.map { $0.changedAt + 1 } ?? 0)
        var group = plan.group
        group.athletes = try group.athletes.map { id throws(StoreFailure) in try store.merges.current(of: id)
        }
        let plan = try plan.assigned(to: group)
        try store.save(
            StoredPlan(
                slug: plan.id, changedAt: changedAt, body: JSONWriter.object(plan.write)))
    }

    /// Removes an athlete from the groups of all plans, and the athlete's plan from intervals.icu.
    package static func removeFromGroups(
        _ athlete: String, at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws {
        for (plan, _) in try all(in: store) where plan.group.athletes.contains(athlete) {
            if IntervalsPlan.isID(plan.id) {
                _ = try store.removePlan(plan.id)
                continue
            }
            var group = plan.group
            group.athletes.removeAll { $0 == athlete }
            try save(plan.assigned(to: group), at: unixMilliseconds, in: store)
        }
    }

    private static func entry(_ stored: StoredPlan) throws -> Entry {
        (try TrainingPlan(stored: stored.body, id: stored.slug), stored.changedAt)
    }

    /// The store has the largest number of plans.
    package struct TooManyPlans: Error, CustomStringConvertible {
        package let description = "there are \(maximumPlans) plans already; remove an old one"
    }
}

extension Array where Element == PieceMetrics {
    /// Returns how these pieces adhere to a plan.
    ///
    /// - Parameter today: the current day in the club's time zone.
    package func adherence(to plan: TrainingPlan, today: CalendarDay) -> Adherence {
        Adherence(to: plan, of: self, today: TrainingSpan(.day, of: today))
    }
}

/// A request to create or change a plan: `{"title", "group", "workouts"}`, or a file instead of the workouts,
/// `{"format": "csv", "text": "day,workout\r\n..."}`. Missing fields keep their stored values. `put` and `remove`
/// then change single workouts.
struct PlanUpdate: Sendable {
    private let title: String?
    private let group: TrainingPlan.Group?
    private let workouts: [PlannedWorkout]?
    private let put: [PlannedWorkout]
    private let removed: [String]
    /// The last change that the sender has seen; 0 for a new plan, nil to replace any.
    private let seenChange: Int64?
    /// Whether the plan is only checked and not stored.
    let isDryRun: Bool

    /// - Parameters:
    ///   - calendar: the club's calendar.
    ///   - zone: returns the calendar for an IANA time zone name.
    init(
        _ body: [UInt8], id: String, in calendar: ClubCalendar, zone: (String) -> ClubCalendar?
    ) throws(CommandFault) {
        var fields = CommandFields(try CommandFields.object(body))
        let title = try fields.text("title")
        group = try fields.group()
        let listed = try fields.workouts()
        let content = try Self.file(&fields, id, calendar, zone)
        put = try fields.workouts("put") ?? []
        removed = try (fields.list("remove") ?? []).map { value throws(CommandFault) in
            guard case .text(let id) = value else { throw fields.wrong("remove", "must be a list of texts") }
            return id
        }
        seenChange = try fields.integer("changed_ms", in: 0...Int(Int64.max >> 10)).map(Int64.init)
        isDryRun = try fields.flag("dry_run") ?? false
        try fields.finish()
        guard listed == nil || content == nil else {
            throw fields.wrong("text", "and workouts exclude each other")
        }
        workouts = listed ?? content?.workouts
        self.title = title ?? content?.title
    }

    private static func file(
        _ fields: inout CommandFields, _ id: String, _ calendar: ClubCalendar,
        _ zone: (String) -> ClubCalendar?
    ) throws(CommandFault) -> PlanCalendar.Content? {
        let (formatName, text) = (try fields.text("format"), try fields.text("text"))
        guard let text else {
            if formatName != nil { throw fields.missing("text") }
            return nil
        }
        guard let formatName else { throw fields.missing("format") }
        guard let format = PlanFormat(rawValue: formatName) else {
            let formats = PlanFormat.allCases.map(\.rawValue).joined(separator: " or ")
            throw fields.wrong("format", "must be \(formats)")
        }
        do throws(PlanFault) {
            return try format.content(of: Array(text.utf8), plan: id, in: calendar, zone: zone)
        } catch {
            throw CommandFault(.badValue, "\(error)")
        }
    }

    /// Whether somebody else has changed, added or removed the plan since the sender read it.
    func isOutdated(_ current: PlanRepository.Entry?) -> Bool {
        seenChange.map { $0 != current?.changedAt ?? 0 } ?? false
    }

    /// - Parameter current: the stored plan with this id.
    func plan(
        _ id: String, replacing current: TrainingPlan?
    ) throws(PlanFault) -> TrainingPlan {
        try TrainingPlan(
            id: id, title: title ?? current?.title ?? "",
            group: group ?? current?.group ?? TrainingPlan.Group(),
            workouts ?? current?.workouts ?? []
        ).changed(put: put, removed: removed)
    }
}
