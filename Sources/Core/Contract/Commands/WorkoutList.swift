import Bytes

/// `workouts`: the named workouts, which the pages offer.
package struct WorkoutList: RetainedBody {
    package static let name = "workouts"

    private let workouts: [NamedWorkout]

    package init(_ workouts: [NamedWorkout]) { self.workouts = workouts }

    package func write(into json: inout JSONWriter) {
        json.object("workouts") { json in
            for workout in workouts {
                json.key(workout.name)
                json.value(workout.row)
            }
        }
    }
}
