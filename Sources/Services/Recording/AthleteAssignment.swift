import Contract
import Rowing

/// The athlete assigned to an erg, and the athlete of a session's records.
///
/// A record stores the athlete at the time it is written. Records after the end of a session (its
/// summary, the recovery heart rate a minute later) belong to the athlete who finished it, even if
/// the next athlete is already assigned.
package struct AthleteAssignment: Equatable, Sendable {
    /// An opaque slug; nil without an assignment.
    private(set) var athlete: String?
    private(set) var until = AssignmentEnd.changed
    /// The last session that ended, and its athlete.
    private(set) var lastSession: SessionID?
    private(set) var lastAthlete: String?

    package mutating func assign(_ athlete: String?, until: AssignmentEnd) {
        self.athlete = athlete
        self.until = until
    }

    /// Returns the athlete of the records of `session`.
    package func athlete(in session: SessionID) -> String? {
        session == lastSession ? lastAthlete : athlete
    }

    /// Notes that the end of `session` has been recorded.
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
