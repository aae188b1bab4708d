import Contract
import Rowing

/// Who sits at an erg, and whose record a session's event is.
///
/// The athlete is frozen into a record when it is written. What comes after the end of a session
/// (its summary, the recovery heart rate a minute later) belongs to whoever finished it, even when
/// the next athlete sits there by then.
package struct AthleteAssignment: Equatable, Sendable {
    /// An opaque slug; nil when nobody is assigned.
    private(set) var athlete: String?
    private(set) var until = AssignmentEnd.changed
    /// The last session that ended, and whose it was.
    private(set) var lastSession: SessionID?
    private(set) var lastAthlete: String?

    package mutating func assign(_ athlete: String?, until: AssignmentEnd) {
        self.athlete = athlete
        self.until = until
    }

    /// Whose record an event of `session` is.
    package func athlete(in session: SessionID) -> String? {
        session == lastSession ? lastAthlete : athlete
    }

    /// The end of `session` has been recorded.
    mutating func ended(_ session: SessionID) {
        guard session != lastSession else { return }
        lastSession = session
        lastAthlete = athlete
        if until == .sessionEnd {
            athlete = nil
            until = .changed
        }
    }

    /// Removes every mention of `athlete`.
    package mutating func forget(_ athlete: String) {
        if self.athlete == athlete { assign(nil, until: .changed) }
        if lastAthlete == athlete { lastAthlete = nil }
    }
}
