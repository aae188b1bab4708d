import Bytes
import PM5Codec
import Timeline

/// A force curve that was polled through CSAFE.
package struct PolledForceCurve: Equatable, Sendable {
    /// The end of the drive, as precisely as the monitor reported it.
    package let ended: BootInstant
    /// False if a request was not answered, so that samples may be missing.
    package let isComplete: Bool
    /// 1 lbf each, about one every 16 ms.
    package let poundsForce: [UInt16]
}

/// Polls the force of each drive from a monitor without 0x003D: GET_FORCEPLOTDATA (0x6B) through 0x1A.
///
/// A pure value for one link: values and time go in, requests and curves come out. A monitor returns each
/// sample only once. Polling begins with the first status that reports a drive. After the drive it
/// continues until a reply is shorter than its maximum. If a drive is too short for a status, its 0x0035
/// starts the polling.
///
/// Source: Concept2 CSAFE definition rev 0.25, GET_FORCEPLOTDATA, frame gap; the ErgometerJS recording for
/// byte order, unit and wrapper 0x1A.
///
/// A passive poller sends no requests. It follows those of another program (`observe`) and assembles curves
/// from the answers. Replaying a recording uses this.
package struct ForcePlotPoller: Sendable {
    /// Between two requests in a drive: six new samples, and a reply holds sixteen.
    package static let driveInterval = Duration.milliseconds(100)
    /// Polling of a link stops after this many rejected or unanswered requests in a row.
    package static let failureLimit = 5
    /// No drive lasts longer. Polling then stops until the monitor reports the end of the drive.
    package static let driveLimit = Duration.seconds(5)
    /// Samples stored for one drive, more than four times those of a long one.
    package static let sampleLimit = 288

    fileprivate static let query = Query.forcePlot(byteCount: 32).throughUserConfiguration
    private static let request = Frame(query.command).pieces.map { Array($0) }

    /// An action for the caller.
    package enum Action: Equatable, Sendable {
        /// Values for 0x0021, in this order.
        case write([[UInt8]])
        case finish(PolledForceCurve)
    }

    private enum Phase: Equatable {
        case idle
        case driving(since: BootInstant)
        case draining(ended: BootInstant)
        /// Final: the monitor does not answer, or sends curves by itself.
        case stopped
    }

    private struct Request {
        let sent: BootInstant
        /// Requested bytes of samples; a shorter reply is the last one.
        let byteCount: Int
    }

    private let sendsRequests: Bool
    private var phase = Phase.idle
    private var replies = FrameParser()
    private var requests = FrameParser()
    private var lastToggle: Bool?
    /// Requests without a reply, oldest first. The poller sends one at a time; observed programs may send
    /// more.
    private var inFlight: [Request] = []
    private var lastSent: BootInstant?
    private var lastFrame: BootInstant?
    private var failures = 0
    private var strokeState: StrokeState?
    private var strokeCount: UInt16?
    /// 0x0035 ended the drive, but `strokeState` may still show it.
    private var isStateOutdated = false
    private var samples: [UInt16] = []
    /// Another request has the link: drives are followed, but no requests are sent.
    private var isPaused = false
    /// Unanswered requests of this drive, whose replies may have carried samples.
    private var missing = 0
    /// Duplicate replies.
    package private(set) var duplicates = 0

    /// - Parameter sendsRequests: false for a passive poller, which uses `observe`.
    package init(sendsRequests: Bool = true) { self.sendsRequests = sendsRequests }

    /// Whether the monitor answers CSAFE but does not notify force curves.
    package static func isNeeded(by monitor: MonitorIdentity) -> Bool {
        monitor.notifying.contains(.csafeOut) && !monitor.notifying.contains(.forceCurve)
    }

    /// Whether polling has stopped: the monitor does not answer, or sends curves by itself.
    package var isStopped: Bool { phase == .stopped }

    /// Whether a request is pending.
    package var isWaiting: Bool { !inFlight.isEmpty }

    /// Sends no requests until `resume`, because another request has the link.
    package mutating func pause() { isPaused = true }

    /// Continues to send requests; `frame` is the time of the last frame on the link.
    package mutating func resume(after frame: BootInstant?) {
        guard isPaused else { return }
        isPaused = false
        // Answers to other requests changed the toggle bit.
        lastToggle = nil
        lastFrame = frame ?? lastFrame
    }

    /// When to call `tick`; nil if no timer is needed.
    package var nextTick: BootInstant? {
        if let oldest = inFlight.first {
            return isCollecting || isPaused
                ? oldest.sent.advanced(by: ControlExchange.replyLimit) : nil
        }
        guard sendsRequests, !isPaused, isCollecting else { return nil }
        let gap = lastFrame?.advanced(by: ControlExchange.frameGap) ?? BootInstant(nanoseconds: 0)
        guard case .driving = phase, let lastSent else { return gap }
        return max(gap, lastSent.advanced(by: Self.driveInterval))
    }

    // MARK: - Input

    /// Handles any value of the link.
    package mutating func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant,
        into actions: inout [Action]
    ) {
        guard !isStopped else { return }
        if characteristic == .csafeOut {
            for event in replies.consume(bytes) {
                if case .frame(let frame) = event { handle(frame, at: now, into: &actions) }
            }
        } else {
            // `SessionMachine` counts values that cannot be decoded.
            let decoded = Result { () throws(DecodeError) in
                try DecodedNotification(characteristic: characteristic, bytes: bytes)
            }
            guard case .success(let notification) = decoded else { return }
            receive(notification.value, at: now, into: &actions)
        }
        tick(at: now, into: &actions)
    }

    /// Handles a value that another program wrote to 0x0021.
    package mutating func observe(_ bytes: some Sequence<UInt8>, at now: BootInstant) {
        guard !isStopped else { return }
        for event in requests.consume(bytes) {
            guard case .frame(let frame) = event,
                let byteCount = frame.forcePlotByteCount
            else { continue }
            send(byteCount: byteCount, at: now)
        }
    }

    private mutating func send(byteCount: Int, at now: BootInstant) {
        // Requests that are never answered must not fill the queue.
        if inFlight.count == Self.failureLimit { inFlight.removeFirst() }
        inFlight.append(Request(sent: now, byteCount: byteCount))
        lastSent = now
        lastFrame = now
    }

    private mutating func receive(
        _ notification: Notification, at now: BootInstant, into actions: inout [Action]
    ) {
        switch notification {
        case .generalStatus(let packet): note(packet.strokeState, at: now, into: &actions)
        case .strokeData(let packet): noteEnd(ofStroke: packet.strokeCount, at: now)
        case .forceCurvePiece: phase = .stopped
        default: break
        }
    }

    /// Times out an unanswered request and sends the next due one.
    package mutating func tick(at now: BootInstant, into actions: inout [Action]) {
        if let oldest = inFlight.first, oldest.sent.duration(to: now) >= ControlExchange.replyLimit {
            // The lost reply changed the toggle bit.
            lastToggle = nil
            if isCollecting { missing += 1 }
            fail()
        }
        if case .driving(let since) = phase, since.duration(to: now) >= Self.driveLimit {
            phase = .draining(ended: now)
        }
        guard sendsRequests, !isPaused, isCollecting, inFlight.isEmpty, let due = nextTick, due <= now else {
            return
        }
        send(byteCount: 2 * SampleBlock.capacity, at: now)
        actions.append(.write(Self.request))
    }

    // MARK: - Drives

    private var isCollecting: Bool {
        switch phase {
        case .driving, .draining: true
        case .idle, .stopped: false
        }
    }

    private mutating func note(
        _ state: StrokeState, at now: BootInstant, into actions: inout [Action]
    ) {
        let isNew = strokeState != state
        strokeState = state
        guard state == .driving else {
            if case .driving = phase { phase = .draining(ended: now) }
            isStateOutdated = false
            return
        }
        if isNew, case .draining = phase { finish(isCut: true, into: &actions) }
        guard phase == .idle, isNew || isStateOutdated else { return }
        isStateOutdated = false
        begin(.driving(since: now))
    }

    /// 0x0035 arrives at the end of the drive, and again with the same count after the recovery.
    private mutating func noteEnd(ofStroke count: UInt16, at now: BootInstant) {
        guard count != strokeCount, count > 0 else { return }
        strokeCount = count
        isStateOutdated = true
        switch phase {
        case .idle: begin(.draining(ended: now))
        case .driving, .draining: phase = .draining(ended: now)
        case .stopped: break
        }
    }

    private mutating func begin(_ phase: Phase) {
        self.phase = phase
        samples.removeAll(keepingCapacity: true)
        missing = 0
    }

    private mutating func finish(isCut: Bool = false, into actions: inout [Action]) {
        guard case .draining(let ended) = phase else { return }
        phase = .idle
        guard !samples.isEmpty else { return }
        actions.append(
            .finish(
                PolledForceCurve(
                    ended: ended, isComplete: missing == 0 && !isCut, poundsForce: samples)))
        samples = []
    }

    // MARK: - Replies

    private mutating func handle(
        _ frame: Frame, at now: BootInstant, into actions: inout [Action]
    ) {
        do throws(DecodeError) {
            let response = try Response(frame)
            lastFrame = now
            // Only accepted frames change the toggle bit.
            guard response.status.isAccepted else { return fail() }
            guard response.status.toggle != lastToggle else {
                duplicates += 1
                return
            }
            lastToggle = response.status.toggle
            if let block = try response.value(of: Self.query) {
                append(block, into: &actions)
            } else if response.replies.contains(where: { $0.wrapper == .userConfiguration }) {
                // The monitor leaves an unknown command out of its answer.
                fail()
            }
        } catch { fail() }
    }

    private mutating func append(_ block: SampleBlock, into actions: inout [Action]) {
        let request = inFlight.isEmpty ? nil : inFlight.removeFirst()
        failures = 0
        guard isCollecting else { return }
        samples.append(contentsOf: block.samples.prefix(Self.sampleLimit - samples.count))
        guard let request else {
            // A late reply, after its request timed out.
            missing = max(0, missing - 1)
            return
        }
        // During the drive, a short reply does not mean the end of the samples.
        guard case .draining(let ended) = phase, request.sent >= ended,
            block.validBytes < request.byteCount
        else { return }
        finish(into: &actions)
    }

    /// Removes a request that was rejected or timed out.
    private mutating func fail() {
        guard !inFlight.isEmpty else { return }
        inFlight.removeFirst()
        failures += 1
        if failures == Self.failureLimit { phase = .stopped }
    }
}

extension Frame {
    /// The number of bytes that a request for force samples asks for; nil for other frames.
    fileprivate var forcePlotByteCount: Int? {
        let commands = Result { () throws(DecodeError) in try Command.parse(contents) }
        guard case .success(let commands) = commands else { return nil }
        for case .wrapped(.userConfiguration, let inner) in commands {
            for case .other(id: ForcePlotPoller.query.id, let data) in inner {
                return data.first.map(Int.init)
            }
        }
        return nil
    }
}
