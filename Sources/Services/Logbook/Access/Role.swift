/// What somebody may do; the later one may do all that the one before may.
package enum Role: String, CaseIterable, Comparable, Sendable {
    /// See what is rowed.
    case wall
    /// Also send commands to the monitors.
    case coach

    package static func < (left: Role, right: Role) -> Bool {
        left == .wall && right == .coach
    }
}
