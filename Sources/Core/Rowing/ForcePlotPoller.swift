import Bytes
import PM5Codec
import Timeline

/// A force curve that was asked for through CSAFE.
package struct PolledForceCurve: Equatable, Sendable {
    /// The end of the drive, as near as the monitor told it.
    package let ended: BootInstant
    /// False when a request was not answered, and its samples may be lost.
    package let isComplete: Bool
    /// 1 lbf each, about one in 16 ms.
    package let poundsForce: [UInt16]
}

/// Asks a monitor without 0x003D for the force of each drive: GET_FORCEPLOTDATA (0x6B) through 0x1A.
///
/// Pure, for one link: values and time go in, requests and curves come out. A monitor hands every
/// sample out once, so it is asked from the first status that says driving, and after the end of
/// the drive until a reply is shorter than it could be. A drive so short that no status saw it is
/// fetched at its 0x0035.
///
/// Source: Concept2 CSAFE definition rev 0.25, GET_FORCEPLOTDATA, frame gap; the ErgometerJS
/// recording for byte order, unit and the door 0x1A.
///
/// A poller can also be made not to ask. It is then told of the requests that somebody else sent
/// (`observe`), and puts the curves together from the answers: so a recording gives the curves that
/// its recorder got.
package struct ForcePlotPoller: Sendable {
    /// Between two requests in a drive: six new samples of the sixteen that a reply can hold.
    package static let driveInterval = Duration.milliseconds(100)
    /// Rejected or unanswered requests in a row after which the link is polled no more.
    package static let failureLimit = 5
    /// No drive lasts longer; a monitor that says so is left alone until it says otherwise.
    package static let driveLimit = Duration.seconds(5)
    /// Samples kept of one drive, more than four times those of a long one.
    package static let sampleLimit = 288

    fileprivate static let query = Query.forcePlot(byteCount: 32).throughUserConfiguration
    private static let request = Frame(query.command).pieces.map { Array($0) }

    /// What the caller is to do.
    package enum Action: Equatable, Sendable {
        /// Values for 0x0021, in this order.
        case write([[UInt8]])
        case finish(PolledForceCurve)
    }

    private enum Phase: Equatable {
        case idle
        case driving(since: BootInstant)
        case draining(ended: BootInstant)
        /// For good: the monitor does not answer, or sends curves by itself.
        case stopped
    }

    private struct Request {
        let sent: BootInstant
        /// Bytes of samples that it asked for; a reply with fewer was the last.
        let byteCount: Int
    }

    private let asks: Bool
    private var phase = Phase.idle
    private var replies = FrameParser()
    private var requests = FrameParser()
    private var lastToggle: Bool?
    /// Requests without a reply, oldest first; we send one at a time, others may not.
    private var inFlight: [Request] = []
    private var lastSent: BootInstant?
    private var lastFrame: BootInstant?
    private var failures = 0
    private var strokeState: StrokeState?
    private var strokeCount: UInt16?
    /// 0x0035 ended the drive that `strokeState` may still show.
    private var isStateOutdated = false
    private var samples: [UInt16] = []
    /// Somebody else speaks with the monitor: drives are followed and nothing is asked.
    private var isHeld = false
    /// Requests of this drive whose reply has not come and may have carried samples.
    private var missing = 0
    /// Replies that came a second time.
    package private(set) var duplicates = 0

    /// - Parameter asks: whether it sends requests of its own; otherwise see `observe`.
    package init(asks: Bool = true) { self.asks = asks }

    /// Whether a monitor has to be asked for its curves, and can be.
    package static func isNeeded(by monitor: MonitorIdentity) -> Bool {
        monitor.notifying.contains(.csafeOut) && !monitor.notifying.contains(.forceCurve)
    }

    /// Whether this link is polled no more: the monitor does not answer, or sends curves of its own.
    package var isStopped: Bool { phase == .stopped }

    /// Whether a request is under way.
    package var isWaiting: Bool { !inFlight.isEmpty }

    /// Asks nothing until `release`, because somebody else speaks with the monitor.
    package mutating func hold() { isHeld = true }

    /// May ask again; `frame` is when the last frame of anybody passed.
    package mutating func release(after frame: BootInstant?) {
        guard isHeld else { return }
        isHeld = false
        // Answers to others changed the toggle unseen.
        lastToggle = nil
        lastFrame = frame ?? lastFrame
    }

    /// When `tick` is to be called; nil while there is nothing to wait for.
    package var nextTick: BootInstant? {
        if let oldest = inFlight.first {
            return isCollecting || isHeld
                ? oldest.sent.advanced(by: ControlExchange.replyLimit) : nil
        }
        guard asks, !isHeld, isCollecting else { return nil }
        let gap = lastFrame?.advanced(by: ControlExchange.frameGap) ?? BootInstant(nanoseconds: 0)
        guard case .driving = phase, let lastSent else { return gap }
        return max(gap, lastSent.advanced(by: Self.driveInterval))
    }

    // MARK: - Input

    /// Takes any value of the link.
    package mutating func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant,
        into actions: inout [Action]
    ) {
        guard !isStopped else { return }
        if characteristic == .csafeOut {
            for event in replies.consume(bytes) {
                if case .frame(let frame) = event { take(frame, at: now, into: &actions) }
            }
        } else {
            // What cannot be decoded is counted where the session is folded.
            let decoded = Result { () throws(DecodeError) in
                try DecodedNotification(characteristic: characteristic, bytes: bytes)
            }
            guard case .success(let notification) = decoded else { return }
            receive(notification.value, at: now, into: &actions)
        }
        tick(at: now, into: &actions)
    }

    /// Takes what somebody else wrote to 0x0021.
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
        // Whoever asks without ever being answered fills nothing.
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

    /// Lets time pass: an answer that does not come, a request that is due.
    package mutating func tick(at now: BootInstant, into actions: inout [Action]) {
        if let oldest = inFlight.first, oldest.sent.duration(to: now) >= ControlExchange.replyLimit
        {
            // The lost reply changed the toggle unseen.
            lastToggle = nil
            if isCollecting { missing += 1 }
            fail()
        }
        if case .driving(let since) = phase, since.duration(to: now) >= Self.driveLimit {
            phase = .draining(ended: now)
        }
        guard asks, !isHeld, isCollecting, inFlight.isEmpty, let due = nextTick, due <= now else {
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

    /// 0x0035 comes at the end of the drive, and once more with the same count after the recovery.
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

    private mutating func take(
        _ frame: Frame, at now: BootInstant, into actions: inout [Action]
    ) {
        do throws(DecodeError) {
            let response = try Response(frame)
            lastFrame = now
            // Only accepted frames change the toggle.
            guard response.status.isAccepted else { return fail() }
            guard response.status.toggle != lastToggle else {
                duplicates += 1
                return
            }
            lastToggle = response.status.toggle
            if let block = try response.value(of: Self.query) {
                take(block, into: &actions)
            } else if response.replies.contains(where: { $0.wrapper == .userConfiguration }) {
                // A command that the monitor does not know is left out of its answer.
                fail()
            }
        } catch { fail() }
    }

    private mutating func take(_ block: SampleBlock, into actions: inout [Action]) {
        let request = inFlight.isEmpty ? nil : inFlight.removeFirst()
        failures = 0
        guard isCollecting else { return }
        samples.append(contentsOf: block.samples.prefix(Self.sampleLimit - samples.count))
        guard let request else {
            // Late, after its request was given up.
            missing = max(0, missing - 1)
            return
        }
        // A reply to a request from within the drive was short because the drive went on.
        guard case .draining(let ended) = phase, request.sent >= ended,
            block.validBytes < request.byteCount
        else { return }
        finish(into: &actions)
    }

    /// A request was rejected or given up.
    private mutating func fail() {
        guard !inFlight.isEmpty else { return }
        inFlight.removeFirst()
        failures += 1
        if failures == Self.failureLimit { phase = .stopped }
    }
}

extension Frame {
    /// How many bytes a request for force samples asks for; nil for any other frame.
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
