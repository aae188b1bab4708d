import Bests
import Bytes
import LogbookStores
import Plans
import Timeline
import Uploads

/// The plan that the logbook reads from an athlete's account at intervals.icu: one for each athlete, for nobody else.
///
/// Its id is reserved, so that people cannot change it, and it cannot replace a plan of theirs. Days before today stay
/// as they were planned, for the adherence.
package enum IntervalsPlan {
    private static let prefix = "intervals-icu-"
    private static let digits = 18
    /// Days before today that stay in the plan; pages show the adherence of four weeks.
    private static let pastDays: Int64 = 28
    /// Characters; a name with an id can be longer.
    private static let maximumTitle = 80

    /// `intervals-icu-3f5a2c91d07be46a82`. An athlete id can be longer than a plan's, so it is not a part of it.
    static func id(of athlete: String) -> String {
        prefix + SHA256Digest.hexadecimal(of: [Array(athlete.utf8)]).prefix(digits)
    }

    /// Whether the id is reserved for these plans.
    package static func isID(_ id: String) -> Bool {
        let rest = id.utf8.dropFirst(prefix.utf8.count)
        return id.hasPrefix(prefix) && rest.count == digits
            && rest.allSatisfy { hexadecimalDigit($0) != nil }
    }

    /// Returns the new plan; nil without workouts.
    ///
    /// - Parameters:
    ///   - id: the id of the plan.
    ///   - athlete: the only athlete of the plan.
    ///   - name: the athlete's, for the title.
    ///   - workouts: the workouts of today and later.
    ///   - former: the stored plan, of which earlier days stay.
    static func plan(
        _ id: String, for athlete: String, named name: String, _ workouts: [PlannedWorkout],
        replacing former: TrainingPlan?,
        today: CalendarDay
    ) throws(PlanFault) -> TrainingPlan? {
        let ids = Set(workouts.map(\.id))
        let past = (former?.workouts ?? []).filter { workout in
            let day = workout.day.firstDay
            return day < today && day >= today.advanced(by: -pastDays) && !ids.contains(workout.id)
        }
        guard !past.isEmpty || !workouts.isEmpty else { return nil }
        return try TrainingPlan(
            id: id, title: String("intervals.icu: \(name)".prefix(maximumTitle)),
            group: .init(athletes: [athlete]), past + workouts)
    }

    /// Removes the athlete's account at intervals.icu with its plan, so that a running logbook does not read the plan
    /// again.
    package static func removeWithAccount(of athlete: String, in store: any LogbookStore) throws {
        try store.atomically {
            _ = try store.uploadAccounts.remove(of: athlete, at: UploadDestination.intervalsICU.rawValue)
            _ = try store.removePlan(id(of: athlete))
        }
    }
}
