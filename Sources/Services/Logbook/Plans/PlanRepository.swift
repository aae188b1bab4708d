import Bests
import Bytes
import LogbookStores
import Plans
import Timeline

/// Reads and stores training plans.
package enum PlanRepository {
    /// The largest number of stored plans, because a list reads all of them.
    package static let maximumPlans = 64

    /// A plan and the time of its last change in Unix milliseconds.
    package typealias Entry = (plan: TrainingPlan, changedAt: Int64)

    /// Returns all plans in order of id.
    package static func all(in store: any LogbookStore) throws -> [Entry] {
        try store.plans().map(entry)
    }

    /// Returns nil if no plan has the id.
    package static func plan(_ id: String, in store: any LogbookStore) throws -> Entry? {
        try store.plans().first { $0.slug == id }.map(entry)
    }

    /// Stores a plan and replaces the one with its id. Throws `TooManyPlans` if the store is full.
    package static func save(
        _ plan: TrainingPlan, at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws {
        let ids = try store.plans().map(\.slug)
        guard ids.contains(plan.id) || ids.count < maximumPlans else { throw TooManyPlans() }
        try store.save(
            StoredPlan(
                slug: plan.id, changedAt: unixMilliseconds, body: JSONWriter.object(plan.write)))
    }

    /// Removes an athlete from the groups of all plans.
    package static func removeFromGroups(
        _ athlete: String, at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws {
        for (plan, _) in try all(in: store) where plan.group.athletes.contains(athlete) {
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
