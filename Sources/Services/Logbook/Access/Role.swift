/// What somebody may do; the later one may do all that the one before may.
package enum Role: String, CaseIterable, Comparable, Sendable {
    /// See what is rowed.
    case wall
    /// Also see what they rowed themselves, what is suggested to them, and what their groups are to row.
    case athlete
    /// See everything, and send commands to the monitors.
    case coach

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }
}
