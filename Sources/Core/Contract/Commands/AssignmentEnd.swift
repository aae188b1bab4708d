/// When it ends that an athlete sits at an erg.
package enum AssignmentEnd: String, CaseIterable, Sendable {
    case sessionEnd = "session_end"
    /// Somebody else is assigned, or nobody.
    case changed
}
