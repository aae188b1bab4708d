import Bests
import Bytes
import LogbookStores
import Plans
import Timeline

/// The plans that a store keeps, as plans.
package enum PlanShelf {
    /// Plans of a store: each of them is read for a list.
    package static let most = 64

    /// A plan, and when it was last changed in Unix milliseconds.
    package typealias Shelved = (plan: TrainingPlan, changedAt: Int64)

    /// By id.
    package static func all(in store: any LogbookStore) throws -> [Shelved] {
        try store.plans().map(shelved)
    }

    /// nil where there is none of that id.
    package static func plan(_ id: String, in store: any LogbookStore) throws -> Shelved? {
        try store.plans().first { $0.slug == id }.map(shelved)
    }

    /// In the place of the one that has its id. Throws a `PlanFault` where there are too many.
    package static func put(
        _ plan: TrainingPlan, at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws {
        let known = try store.plans().map(\.slug)
        guard known.contains(plan.id) || known.count < most else { throw TooManyPlans() }
        try store.put(
            KeptPlan(
                slug: plan.id, changedAt: unixMilliseconds, body: JSONWriter.object(plan.write)))
    }

    /// Takes somebody out of the groups of all plans.
    package static func forget(
        _ athlete: String, at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws {
        for (plan, _) in try all(in: store) where plan.group.athletes.contains(athlete) {
            var group = plan.group
            group.athletes.removeAll { $0 == athlete }
            try put(plan.assigned(to: group), at: unixMilliseconds, in: store)
        }
    }

    private static func shelved(_ kept: KeptPlan) throws -> Shelved {
        (try TrainingPlan(stored: kept.body, id: kept.slug), kept.changedAt)
    }

    /// A store has no room for another plan.
    package struct TooManyPlans: Error, CustomStringConvertible {
        package let description = "there are \(most) plans; remove one that is over"
    }
}

extension Array where Element == PieceFigures {
    /// What became of a plan, of these sessions.
    ///
    /// - Parameter today: of the club.
    package func adherence(to plan: TrainingPlan, today: CalendarDay) -> Adherence {
        Adherence(to: plan, of: self, today: TrainingSpan(.day, of: today))
    }
}
