import Contract
import Insights
import Rowing
import Timeline

/// What a station hands to the recorder: what happened, in order, and how to go on from there.
package struct StationNews: Sendable {
    package var station: StationID
    /// Nine digits; nil before a monitor was seen.
    package var monitorSerial: String?
    /// Whether the monitor is held; published with its state.
    package var presence: StationReport.Presence
    package var at: BootInstant
    package var events: [SessionEvent]
    /// What the events, or the time that passed, mean; behind them.
    package var insights: [Insight]
    /// What the monitor said, as it said it; empty unless the configuration wants it kept.
    package var raw: RawRecording
    /// `SessionCheckpoint` after these events; empty when no session is open, and beside values alone.
    package var checkpoint: [UInt8]

    package init(
        station: StationID, monitorSerial: String? = nil,
        presence: StationReport.Presence = .linked,
        at: BootInstant, events: [SessionEvent], insights: [Insight] = [],
        raw: RawRecording = RawRecording(),
        checkpoint: [UInt8]
    ) {
        self.station = station
        self.monitorSerial = monitorSerial
        self.presence = presence
        self.at = at
        self.events = events
        self.insights = insights
        self.raw = raw
        self.checkpoint = checkpoint
    }
}

extension SessionEvent {
    /// The session that its record belongs to.
    var session: SessionID? {
        switch self {
        case .session(let edge): edge.session
        case .stroke(let stroke): stroke.session
        case .force(let curve): curve.session
        case .split(let split): split.session
        case .gap(let gap): gap.session
        case .summary(let summary): summary.session
        case .state: nil
        }
    }

    /// The stream that its record stands in; nil for what is no record.
    var kind: StreamKind? {
        switch self {
        case .session: .session
        case .stroke: .stroke
        case .force: .force
        case .split: .split
        case .gap: .gap
        case .summary: .summary
        case .state: nil
        }
    }

    /// Whether it is worth a commit of its own: losing it would change what a session was.
    var isEdge: Bool {
        switch self {
        case .session, .summary: true
        case .stroke, .force, .split, .gap, .state: false
        }
    }
}

extension Insight {
    /// The session that its record belongs to; nil between sessions.
    var session: SessionID? {
        switch self {
        case .alert(let alert): alert.session
        case .rollup(let rollup): rollup.session
        }
    }

    /// The stream that its record stands in.
    var kind: StreamKind {
        switch self {
        case .alert: .alert
        case .rollup: .rollup
        }
    }
}
