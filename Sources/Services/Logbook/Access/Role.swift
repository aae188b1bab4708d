/// The permissions of a user or a token. Each role includes the permissions of the roles before it.
package enum Role: String, CaseIterable, Comparable, Sendable {
    /// See the live wall.
    case wall
    /// Also see one's own sessions, suggestions and the plans of one's groups.
    case athlete
    /// See everything, and send commands to the monitors.
    case coach
    /// Also manage users and their devices.
    case captain

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }
}
