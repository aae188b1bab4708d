import Bytes

/// A workout that the configuration has a name for.
package struct NamedWorkout: Equatable, Sendable {
    /// A slug.
    package let name: String
    /// As it stands in the configuration: `WorkoutNotation.syntax`.
    package let row: String
    package let order: WorkoutOrder

    /// Throws what is wrong with it, in words.
    package init(_ name: String, row: String) throws(WorkoutNotationError) {
        (self.name, self.row) = (name, row)
        order = try WorkoutOrder(parsing: row)
    }
}

extension WorkoutOrder {
    /// Reads what stands on a whiteboard; a monitor's limits are checked too.
    package init(parsing text: String) throws(WorkoutNotationError) {
        let notation = try WorkoutNotation(parsing: text)
        let object = (try? JSONObject(parsing: notation.json)) ?? .empty
        var fields = CommandFields(object)
        do throws(CommandFault) { try self.init(&fields) } catch {
            throw WorkoutNotationError(text: text, reason: error.message)
        }
    }
}

/// `workouts`: those that can be asked for by name, for the pages that offer them.
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
