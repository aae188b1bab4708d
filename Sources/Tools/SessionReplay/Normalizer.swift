import Bytes
import Contract
import Insights
import PM5Codec
import Rowing
import Synchronization
import Timeline

/// Converts a recorded connection to the messages of the daemon: `rowgatectl normalize`.
///
/// Writes durable records with rollups and alerts, live samples and the retained `state`, `last_summary`
/// and `alerts`, but no messages about the gateway or its link. The same recording gives the same
/// bytes: the epoch is all zeros, sessions and alerts are named by number, and time is the recording's
/// `t_ms`, never synchronized.
///
/// Alerts have the limits of a gateway whose configuration sets none. Assignments and targets come by
/// commands, which are not in a recording.
///
/// A recording does not contain the state of the link. The link counts as lost after a long silence,
/// as open again with the next value, and as closed after the last one.
package struct Normalizer {
    /// After this absence of a monitor its session is over.
    private static let absenceLimit = SessionMachine.closingLimit + .seconds(1)

    package struct Settings: Sendable {
        let topics: TopicMap
        let station: StationID
        let liveInterval: Duration

        /// `liveInterval` lies between two live samples, as in the daemon's configuration.
        ///
        /// nil unless both names are slugs.
        package init?(
            gateway: String, station: String, below prefix: TopicPrefix = .standard, liveInterval: Duration
        ) {
            guard let gateway = GatewayID(gateway), let station = StationID(station) else {
                return nil
            }
            topics = TopicMap(gateway: gateway, below: prefix)
            self.station = station
            self.liveInterval = liveInterval
        }
    }

    private let liveInterval: Duration
    private var splitter = LineSplitter()
    private var lineNumber = 0
    private var writer: MessageWriter
    private var machine: SessionMachine = {
        let numbers = ULIDNumbers()
        return SessionMachine(makeSessionID: { SessionID(numbers.next()) })
    }()
    /// Alerts and rollups, by the same rules as in the daemon.
    private var insights = ErgInsights(AlertSettings(), makeID: ULIDNumbers().next)
    private var found: [Insight] = []
    private var batteryPercent: Int?
    /// Answers through CSAFE, which may tell the level of the batteries.
    private var answers = FrameAssembler()
    /// Curves that the recorder asked for, request by request.
    private var poller = ForcePlotPoller(sendsRequests: false)
    private var actions: [ForcePlotPoller.Action] = []
    private var events: [SessionEvent] = []
    /// The machine type, if the recording contains it.
    private var machineType: ErgMachineType?
    private var isOpen = false
    /// When the last value came; nil before the first.
    private var lastReceived: BootInstant?
    private var nextTick = BootInstant(nanoseconds: 0)

    /// Lines that were no JSON objects so far.
    package private(set) var syntaxErrors = 0

    package init(_ settings: Settings) {
        liveInterval = settings.liveInterval
        writer = MessageWriter(settings.topics, station: settings.station)
    }

    /// Number of values that no decoder accepted.
    package var undecodableValues: Int { machine.counters.truncated + machine.counters.unknown }

    /// Consumes a part of the recording; returns messages about invalid lines.
    package mutating func consume(
        _ bytes: some Collection<UInt8>, into output: inout [UInt8]
    ) -> [String] {
        splitter.consume(bytes).compactMap { process($0, into: &output) }
    }

    /// Ends the recording and completes open sessions, as after the loss of the monitor.
    package mutating func finish(into output: inout [UInt8]) -> [String] {
        let remark = splitter.finish().flatMap { process($0, into: &output) }
        if let lastReceived {
            close(at: lastReceived, into: &output)
            advance(to: lastReceived.advanced(by: Self.absenceLimit), into: &output)
        }
        return remark.map { [$0] } ?? []
    }

    /// Processes a line; returns its error, if any.
    private mutating func process(
        _ line: LineSplitter.Line, into output: inout [UInt8]
    ) -> String? {
        lineNumber += 1
        guard !line.isBlank else { return nil }
        do throws(RecordingProblem) {
            let value = try RecordedValue(line: try JSONObject(line: line))
            process(value, at: try value.instant, direction: try value.direction, into: &output)
            return nil
        } catch {
            if error.isSyntax { syntaxErrors += 1 }
            return "line \(lineNumber): \(error)"
        }
    }

    private mutating func process(
        _ value: RecordedValue, at instant: BootInstant, direction: RecordedValue.Direction,
        into output: inout [UInt8]
    ) {
        guard case .characteristic(let id, _) = value.source else { return }
        // Time does not go back, whatever the recording says.
        let now = max(instant, lastReceived ?? instant)
        switch direction {
        case .read: note(id, value.bytes)
        case .sent: if id == .csafeIn { poller.observe(value.bytes, at: now) }
        case .received:
            advance(to: now, into: &output)
            open(at: now, into: &output)
            lastReceived = now
            value.bytes.withUnsafeBytes { receive(id, $0, at: now) }
            deliver(at: now, into: &output)
        }
    }

    private mutating func receive(
        _ id: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant
    ) {
        noteBattery(in: bytes, of: id)
        if id != .csafeOut { machine.receive(id, bytes, at: now, into: &events) }
        poller.receive(id, bytes, at: now, into: &actions)
        appendPolledCurves(at: now)
    }

    /// Reads the battery level from a notification or a CSAFE reply.
    private mutating func noteBattery(in bytes: UnsafeRawBufferPointer, of id: CharacteristicID) {
        if let percent = AdditionalStatus3.batteryPercent(in: bytes, of: id) {
            batteryPercent = percent
        }
        guard id == .csafeOut else { return }
        for frame in answers.consume(Array(bytes)) {
            guard let frame = try? Frame(decoding: frame.wire), let answer = try? Response(frame),
                let percent = try? answer.value(of: .batteryLevelPercent), percent <= 100
            else { continue }
            batteryPercent = Int(percent)
        }
    }

    private mutating func appendPolledCurves(at now: BootInstant) {
        for case .finish(let curve) in actions {
            machine.receive(curve, at: now, into: &events)
        }
        actions.removeAll(keepingCapacity: true)
    }

    /// Stores identity values of the monitor.
    private mutating func note(_ id: CharacteristicID, _ bytes: [UInt8]) {
        switch id {
        case .serialNumber: writer.monitorSerial = DeviceInformation.text(bytes)
        case .ergMachineType: machineType = bytes.first.map(ErgMachineType.init(rawValue:))
        default: break
        }
    }

    private mutating func open(at now: BootInstant, into output: inout [UInt8]) {
        guard !isOpen else { return }
        isOpen = true
        poller = ForcePlotPoller(sendsRequests: false)
        answers = FrameAssembler()
        if lastReceived == nil { nextTick = now.advanced(by: liveInterval) }
        machine.linkOpened(at: now, machine: machineType, into: &events)
        deliver(at: now, into: &output)
    }

    private mutating func close(at now: BootInstant, into output: inout [UInt8]) {
        guard isOpen else { return }
        isOpen = false
        machine.linkClosed(at: now, into: &events)
        deliver(at: now, into: &output)
    }

    /// Advances time like the daemon: ticks, and live samples during motion.
    private mutating func advance(to now: BootInstant, into output: inout [UInt8]) {
        guard let lastReceived else { return }
        while nextTick <= now {
            let silence = lastReceived.duration(to: nextTick)
            if silence >= LinkTimeouts.silenceLimit { close(at: nextTick, into: &output) }
            machine.tick(at: nextTick, into: &events)
            evaluateInsights(at: nextTick)
            poller.tick(at: nextTick, into: &actions)
            appendPolledCurves(at: nextTick)
            deliver(at: nextTick, into: &output)
            if let sample = machine.live(at: nextTick), sample.state.hasOpenSession {
                writer.write(sample, into: &output)
            }
            // However long the monitor stays away, nothing more will happen.
            let isOver = silence > Self.absenceLimit + LinkTimeouts.silenceLimit
            nextTick = (isOver ? now : nextTick).advanced(by: liveInterval)
        }
    }

    /// Evaluates the current state of the erg, including silence.
    private mutating func evaluateInsights(at now: BootInstant) {
        let moment = ErgMoment(
            isLinkLost: !isOpen, sample: machine.live(at: now), batteryPercent: batteryPercent)
        insights.evaluate(moment, at: now, into: &found)
    }

    /// Writes events, then the alerts and rollups that follow from them.
    private mutating func deliver(at instant: BootInstant, into output: inout [UInt8]) {
        for event in events { insights.handle(event, at: instant, into: &found) }
        for event in events { writer.write(event, at: instant, into: &output) }
        events.removeAll(keepingCapacity: true)
        guard !found.isEmpty else { return }
        for insight in found { writer.write(insight, into: &output) }
        let hasAlerts = found.contains { if case .alert = $0 { true } else { false } }
        if hasAlerts { writer.write(firing: insights.firing, at: instant, into: &output) }
        found.removeAll(keepingCapacity: true)
    }
}

/// Names in their order: the ULIDs 1, 2, 3, ...
private final class ULIDNumbers: Sendable {
    private let last = Atomic(0)

    @Sendable func next() -> String {
        let number = String(last.wrappingAdd(1, ordering: .relaxed).newValue)
        return String(repeating: "0", count: 26 - number.count) + number
    }
}
