/// The permissions of a user or a token.
package enum Role: String, CaseIterable, Sendable {
    /// See the live wall.
    case wall
    /// Also see the names of athletes and assign athletes to ergs: for a tablet that everybody in the room uses.
    case room
    /// See the live wall, one's own sessions, suggestions and the plans of one's groups.
    case athlete
    /// See everything, and send commands to the monitors.
    case coach
    /// Also manage users and their devices.
    case captain

    /// Whether the role has all permissions of another role. Neither `room` nor `athlete` includes the other one.
    package func includes(_ other: Role) -> Bool {
        switch self {
        case .wall: other == .wall
        case .room, .athlete: other == self || other == .wall
        case .coach: other != .captain
        case .captain: true
        }
    }
}
