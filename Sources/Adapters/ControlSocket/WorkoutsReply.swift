/// The named workouts of the configuration: the reply of `Workouts`.
package struct WorkoutsReply: JSONReply, Equatable, Sendable {
    /// A named workout.
    package struct Workout: Codable, Equatable, Sendable {
        /// The name that commands use.
        package var name: String
        /// The workout in the notation of `rowgatectl workout`.
        package var row: String

        package init(name: String, row: String) { (self.name, self.row) = (name, row) }
    }

    /// In the order of the configuration.
    package var workouts: [Workout]

    package init(workouts: [Workout]) { self.workouts = workouts }
}

extension RowgateInterface {
    /// All named workouts.
    package enum Workouts: ControlMethod {
        /// `org.rowgate.Control.Workouts`.
        package static let name = RowgateInterface.name + ".Workouts"
        package typealias Reply = WorkoutsReply

        /// No parameters.
        package struct Parameters: Codable, Equatable, Sendable {
            package init() {}
        }
    }
}
