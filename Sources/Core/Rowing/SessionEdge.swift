import PM5Codec
import Timeline

/// A session began, halted, went on or ended.
package struct SessionEdge: Equatable, Sendable {
    /// Each session has one `started` and one `ended`; the others alternate between them.
    package enum Kind: String, Sendable { case started, paused, resumed, ended }

    /// What happened.
    package var kind: Kind
    /// The session that it happened to.
    package var session: SessionID
    /// When the session began.
    package var startedAt: BootInstant
    /// What the monitor was set to when it began.
    package var workout: Workout
    /// When it was noticed: an end up to some seconds late.
    package var at: BootInstant
    /// Nil on old firmware.
    package var machine: ErgMachineType?
    /// At the end: how many strokes the monitor counted, as far as it was heard; nil for none.
    package var monitorStrokes: Int?
}

extension SessionEdge {
    /// Creates an edge from a monitor that reports neither its machine nor a stroke count.
    package init(
        kind: Kind, session: SessionID, startedAt: BootInstant, workout: Workout, at: BootInstant
    ) {
        self.init(
            kind: kind, session: session, startedAt: startedAt, workout: workout, at: at,
            monitorStrokes: nil)
    }
}
