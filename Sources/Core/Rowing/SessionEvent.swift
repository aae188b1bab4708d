import PM5Codec
import Timeline

/// An event at an erg. A station delivers events in the order in which they happened.
package enum SessionEvent: Equatable, Sendable {
    case session(SessionTransition)
    case stroke(Stroke)
    case force(ForceCurve)
    case split(Split)
    case summary(Summary)
    case gap(Gap)
    /// The retained state changed.
    case state(StationState)
}

/// The start, pause, resumption or end of a session.
package struct SessionTransition: Equatable, Sendable {
    /// Each session has one `started` and one `ended`, with `paused` and `resumed` alternating between
    /// them.
    package enum Kind: String, Sendable { case started, paused, resumed, ended }

    /// The kind of transition.
    package var kind: Kind
    /// The session that changed.
    package var session: SessionID
    /// When the session began.
    package var startedAt: BootInstant
    /// The workout on the monitor when the session began.
    package var workout: Workout
    /// When it was noticed; an end can be some seconds late.
    package var at: BootInstant
    /// Nil on old firmware.
    package var machine: ErgMachineType?
    /// At the end: the number of strokes that the monitor counted, as far as received; nil if unknown.
    package var monitorStrokes: Int?
}

extension SessionTransition {
    /// Creates a transition without a machine and a stroke count.
    package init(
        kind: Kind, session: SessionID, startedAt: BootInstant, workout: Workout, at: BootInstant
    ) {
        self.init(
            kind: kind, session: session, startedAt: startedAt, workout: workout, at: at,
            monitorStrokes: nil)
    }
}

/// The ID of one session: 26 characters, a ULID, unique over all gateways.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The string given at initialisation.
    package let text: String
    package init(_ text: String) { self.text = text }
    package var description: String { text }
}
