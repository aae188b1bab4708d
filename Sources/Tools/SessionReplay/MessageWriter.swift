import Bytes
import Contract
import Insights
import Rowing
import Timeline

/// Writes messages as `{"topic":"...","payload":{...}}`, numbered as the daemon numbers them.
struct MessageWriter {
    /// The epoch of a recording, which belongs to no ring.
    static let epoch = "00000000000000000000000000"
    /// Boot time is the recording's `t_ms`; the wall clock is unknown.
    static let clock = WallClock(
        bootID: String(repeating: "0", count: 32), unixMillisecondsAtBoot: 0, isSynchronized: false)

    /// The published strokes of the current session, for its manifest.
    private struct OpenSession {
        let id: SessionID
        let first: [StreamKind: UInt64]
        var strokes: [[UInt8]] = []
    }

    private let topics: TopicMap
    private let station: StationID
    private var encoder = RecordEncoder()
    private var json = JSONWriter()
    private var next: [StreamKind: UInt64] = [:]
    private var lastMilliseconds: Int64 = .min
    private var liveSequence: UInt64 = 0
    private var session: OpenSession?
    /// Nine digits, once read from the recording.
    var monitorSerial: String?

    init(_ topics: TopicMap, station: StationID) {
        self.topics = topics
        self.station = station
    }

    /// Appends the messages of an event, a line each.
    mutating func write(_ event: SessionEvent, at now: BootInstant, into output: inout [UInt8]) {
        switch event {
        case .session(let edge):
            if edge.kind == .started { session = OpenSession(id: edge.session, first: next) }
            record(edge, at: edge.at, into: &output)
            if edge.kind == .ended { writeManifest(of: edge, into: &output) }
        case .stroke(let stroke):
            let stored = record(stroke, at: stroke.at, into: &output)
            session?.strokes.append(stored)
        case .force(let curve): record(curve, at: curve.at, into: &output)
        case .split(let split): record(split, at: split.at, into: &output)
        case .gap(let gap): record(gap, at: gap.at, into: &output)
        case .summary(let summary):
            let stored = record(summary, at: summary.at, into: &output)
            append(topics.topic(of: .lastSummary(station)), stored, to: &output)
        case .state(let state):
            let payload = StationReport(station: state).payload(
                gateway: topics.gateway, station: station, at: now, clock: Self.clock)
            append(topics.topic(of: .state(station)), payload, to: &output)
        }
    }

    /// Appends an alert or a rollup, which name no monitor.
    mutating func write(_ insight: Insight, into output: inout [UInt8]) {
        switch insight {
        case .alert(let alert): record(alert, at: alert.at, monitor: nil, into: &output)
        case .rollup(let rollup): record(rollup, at: rollup.at, monitor: nil, into: &output)
        }
    }

    /// Appends the retained message of the alerts that fire.
    mutating func write(firing alerts: [Alert], at now: BootInstant, into output: inout [UInt8]) {
        let payload = FiringAlerts(alerts, clock: Self.clock).payload(
            gateway: topics.gateway, station: station, at: now, clock: Self.clock)
        append(topics.topic(of: .alerts(station)), payload, to: &output)
    }

    /// Appends a live message.
    mutating func write(_ sample: MetricsSample, into output: inout [UInt8]) {
        liveSequence += 1
        sample.encode(
            of: station, gateway: topics.gateway, number: liveSequence, clock: Self.clock,
            into: &json)
        append(topics.live(station), json.bytes, to: &output)
    }

    private mutating func writeManifest(of edge: SessionTransition, into output: inout [UInt8]) {
        guard let session else { return }
        let strokes = session.first[.stroke, default: 1]..<next[.stroke, default: 1]
        func count(_ kind: StreamKind) -> Int {
            Int(next[kind, default: 1] - session.first[kind, default: 1])
        }
        let manifest = Manifest(
            session: session.id,
            strokes: strokes.isEmpty ? nil : strokes.lowerBound...(strokes.upperBound - 1),
            strokeCount: strokes.count, strokeDigest: SHA256Digest.hexadecimal(of: session.strokes),
            forceCount: count(.force), splitCount: count(.split), gapCount: count(.gap),
            monitorStrokes: edge.monitorStrokes)
        record(manifest, at: edge.at, into: &output)
        self.session = nil
    }

    /// Appends a durable record; returns its stored form.
    @discardableResult
    private mutating func record(
        _ body: some RecordBody, at instant: BootInstant, into output: inout [UInt8]
    ) -> [UInt8] {
        record(body, at: instant, monitor: monitorSerial, into: &output)
    }

    @discardableResult
    private mutating func record(
        _ body: some RecordBody, at instant: BootInstant, monitor serial: String?,
        into output: inout [UInt8]
    ) -> [UInt8] {
        let kind = type(of: body).recordKind
        let sequence = next[kind, default: 1]
        next[kind] = sequence + 1
        // Strictly increasing, also where two things happened at once.
        let time = max(Self.clock.unixMilliseconds(at: instant), lastMilliseconds + 1)
        lastMilliseconds = time
        let stream = StreamID(station: station, kind: kind)
        let head = RecordHead(
            gateway: topics.gateway, stream: stream, epoch: Self.epoch, sequence: sequence,
            time: TimeStamp(
                unixMilliseconds: time, unsynchronized: Self.clock.bootTime(at: instant)))
        let stored = encoder.encode(
            body, head: head,
            context: RecordContext(monitorSerial: serial, clock: Self.clock))
        append(
            topics.topic(of: stream), RecordEncoder.published(stored, historical: false),
            to: &output)
        return stored
    }

    private func append(_ topic: String, _ payload: [UInt8], to output: inout [UInt8]) {
        output += JSONWriter.object { json in
            json.field("topic", topic)
            json.key("payload")
            json.value(json: payload)
        }
        output.append(UInt8(ascii: "\n"))
    }
}
