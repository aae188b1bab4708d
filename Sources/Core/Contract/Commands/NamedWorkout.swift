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
