import Bytes

/// A workout with a name in the configuration.
package struct NamedWorkout: Equatable, Sendable {
    /// A slug.
    package let name: String
    /// The configured text: `WorkoutNotation.syntax`.
    package let row: String
    package let order: WorkoutRequest

    package init(_ name: String, row: String) throws(WorkoutNotationError) {
        (self.name, self.row) = (name, row)
        order = try WorkoutRequest(parsing: row)
    }
}

extension WorkoutRequest {
    /// Parses workout notation, and checks the limits of a monitor.
    package init(parsing text: String) throws(WorkoutNotationError) {
        let notation = try WorkoutNotation(parsing: text)
        let object = (try? JSONObject(parsing: notation.json)) ?? .empty
        var fields = CommandFields(object)
        do throws(CommandFault) { try self.init(&fields) } catch {
            throw WorkoutNotationError(text: text, reason: error.message)
        }
    }
}
