import Bytes
import Contract
import Insights
import PM5Codec
import Rowing
import Timeline

/// A station's report to the recorder: its events in order, and the state from which to continue.
package struct StationUpdate: Sendable {
    package var station: StationID
    /// Nine digits; nil before a monitor was seen.
    package var monitorSerial: String?
    /// Whether the monitor is connected; published with its state.
    package var monitorConnection: StationReport.MonitorConnection
    package var at: BootInstant
    package var events: [SessionEvent]
    /// Insights from the events or the passed time; recorded after the events.
    package var insights: [Insight]
    /// Raw values as transferred; empty unless the configuration wants them stored.
    package var raw: RawRecording
    /// `SessionCheckpoint` after these events; empty if no session is open, and if there are only
    /// raw values.
    package var checkpoint: [UInt8]

    package init(
        station: StationID, monitorSerial: String? = nil,
        monitorConnection: StationReport.MonitorConnection = .linked,
        at: BootInstant, events: [SessionEvent], insights: [Insight] = [],
        raw: RawRecording = RawRecording(),
        checkpoint: [UInt8]
    ) {
        self.station = station
        self.monitorSerial = monitorSerial
        self.monitorConnection = monitorConnection
        self.at = at
        self.events = events
        self.insights = insights
        self.raw = raw
        self.checkpoint = checkpoint
    }
}

extension SessionEvent {
    /// The session of its record.
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

    /// The stream of its record; nil for an event that is not recorded.
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

    /// Whether it needs its own commit: losing it would change the session.
    var isEdge: Bool {
        switch self {
        case .session, .summary: true
        case .stroke, .force, .split, .gap, .state: false
        }
    }
}

extension Insight {
    /// The session of its record; nil between sessions.
    var session: SessionID? {
        switch self {
        case .alert(let alert): alert.session
        case .rollup(let rollup): rollup.session
        }
    }

    /// The stream of its record.
    var kind: StreamKind {
        switch self {
        case .alert: .alert
        case .rollup: .rollup
        }
    }
}

/// Raw values as transferred, collected between two reports to the recorder.
///
/// One buffer holds all of them, so that storing a value needs no allocation.
package struct RawRecording: Sendable {
    private struct Entry {
        let end: Int
        let at: BootInstant
    }

    private var writer = ByteWriter()
    private var index: [Entry] = []

    package init() {}

    package var isEmpty: Bool { index.isEmpty }
    package var count: Int { index.count }
    /// When the first value was transferred.
    package var begun: BootInstant? { index.first?.at }

    package mutating func append(
        _ value: UnsafeRawBufferPointer, of characteristic: CharacteristicID,
        station: StationID, at now: BootInstant
    ) {
        RingEntry.encodeNotification(
            of: station, characteristic, bootMilliseconds: now.milliseconds, value, into: &writer)
        index.append(Entry(end: writer.bytes.count, at: now))
    }

    package mutating func append(_ later: RawRecording) {
        let start = writer.bytes.count
        writer.append(later.writer.bytes)
        index += later.index.map { Entry(end: start + $0.end, at: $0.at) }
    }

    /// Drops values older than `instant`.
    package mutating func drop(before instant: BootInstant) {
        let old = index.prefix { $0.at < instant }.count
        guard old > 0 else { return }
        let start = index[old - 1].end
        let remaining = Array(writer.bytes[start...])
        writer.reset()
        writer.append(remaining)
        index = index.dropFirst(old).map { Entry(end: $0.end - start, at: $0.at) }
    }

    /// Each value as the bytes of a ring entry, in order.
    package var entries: [ArraySlice<UInt8>] {
        zip([0] + index.dropLast().map(\.end), index).map { writer.bytes[$0..<$1.end] }
    }
}
