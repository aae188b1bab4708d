/// The workouts that the configuration has a name for: the reply of `Workouts`.
package struct WorkoutsReply: JSONReply, Equatable, Sendable {
    /// One of them.
    package struct Workout: Codable, Equatable, Sendable {
        /// What it is asked for by.
        package var name: String
        /// What is rowed, as `rowgatectl workout` has it.
        package var row: String

        package init(name: String, row: String) { (self.name, self.row) = (name, row) }
    }

    /// In the order of the configuration.
    package var workouts: [Workout]

    package init(workouts: [Workout]) { self.workouts = workouts }
}

extension RowgateInterface {
    /// Every workout that has a name.
    package enum Workouts: ControlMethod {
        /// `org.rowgate.Control.Workouts`.
        package static let name = RowgateInterface.name + ".Workouts"
        package typealias Reply = WorkoutsReply

        /// Takes none.
        package struct Parameters: Codable, Equatable, Sendable {
            package init() {}
        }
    }
}
