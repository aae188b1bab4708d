/// When an athlete's assignment to an erg ends.
package enum AssignmentEnd: String, CaseIterable, Sendable {
    case sessionEnd = "session_end"
    /// At the next assignment.
    case changed
}
