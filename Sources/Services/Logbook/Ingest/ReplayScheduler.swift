import Bytes
import Contract
import DeliveryProof
import LogbookStores
import Timeline

/// A command to publish to a gateway.
struct OutgoingCommand: Equatable, Sendable {
    let topic: String
    let payload: [UInt8]
}

/// Schedules replay requests for missing records. It has no clock and does no I/O.
///
/// Each gateway has at most one request in flight, for a limited number of records, so that neither the
/// gateway nor the broker's queue overflows. A request keeps its id until the gateway answers, also across a
/// reconnect; a gateway executes each id once.
struct ReplayScheduler {
    /// A change of a request's state, for the log.
    enum Event: Equatable, Sendable {
        /// The gap was requested for the first time.
        case requested(RecordGapTracker.Gap)
        /// All requested records were received.
        case filled(RecordGapTracker.Gap)
        /// The gateway has no record for these numbers.
        case gone(RecordGapTracker.Gap)
        /// The gateway sent records that violate the contract. They are not requested again.
        case refused(RecordGapTracker.Gap)
        /// The gateway refused or did not answer. The request is repeated later.
        case postponed(RecordGapTracker.Gap, reason: String)
    }

    private struct PendingRequest {
        let id: String
        let gap: RecordGapTracker.Gap
        /// The time of the last attempt; nil if the request must be sent.
        var sent: BootInstant?
        var attempts = 0
        /// Requested numbers that a replay has delivered.
        var received = SequenceSet()
        /// The count of received messages of the stream that had no readable number.
        var unreadable: UInt64 = 0
        /// The gateway's answer: its time and the number of records that the gateway sent.
        var answer: (at: BootInstant, count: UInt64)?
    }

    private struct Delay {
        var backoff = ExponentialBackoff(ReplayScheduler.backoff)
        var until: BootInstant
    }

    /// The maximum number of records in one request. A gateway sends them within 2 s.
    static let maximumRecords: UInt64 = 1000
    /// A gap must exist for this long before it is requested, because the records may still be in transit.
    static let settlingTime = Duration.seconds(5)
    /// The time between an answer and the evaluation of missing records, because they use different topics.
    static let answerGrace = Duration.seconds(2)
    /// The minimum time between two requests to one gateway, and between two checks of its gaps.
    static let requestInterval = Duration.seconds(1)
    /// The time without an answer after which a request is sent again.
    static let answerTimeout = Duration.seconds(30)
    /// The number of attempts after which a request is postponed.
    static let maximumAttempts = 4
    /// The first and the longest delay of a postponed stream.
    static let backoff = Duration.seconds(30)...Duration.seconds(3600)

    private let topicPrefix: TopicPrefix
    /// A part of each request id that distinguishes the runs of the program.
    private let token: String
    private var lastID = 0
    private var pending: [GatewayID: PendingRequest] = [:]
    /// The earliest time of the next request to each gateway.
    private var nextRequestAt: [GatewayID: BootInstant] = [:]
    private var delays: [StoredStream: Delay] = [:]
    /// The gateways whose availability is `online`.
    private var online: Set<GatewayID> = []
    private var isConnected = false
    /// The time at which each stream's gaps were first seen.
    private var gapsSince: [StoredStream: BootInstant] = [:]
    private var events: [Event] = []

    /// - Parameter token: characters of `[a-z0-9]`, different for each run.
    init(below topicPrefix: TopicPrefix, token: String) {
        self.topicPrefix = topicPrefix
        self.token = token
    }

    // MARK: Input

    /// The connection is up, and the broker is about to send its retained messages.
    mutating func connected() {
        isConnected = true
        gapsSince = [:]
        for gateway in pending.keys { pending[gateway]?.sent = nil }
    }

    mutating func disconnected() {
        isConnected = false
        online = []
    }

    /// Applies the retained availability of a gateway.
    mutating func setOnline(_ isOnline: Bool, _ gateway: GatewayID) {
        if isOnline { online.insert(gateway) } else { online.remove(gateway) }
    }

    /// Notes a message on a durable topic.
    ///
    /// - Parameter sequence: The record's number; nil for a refused message without one.
    mutating func didReceive(
        _ stream: StreamID, from gateway: GatewayID, _ sequence: UInt64?, isHistorical: Bool
    ) {
        guard let gap = pending[gateway]?.gap, gap.stream.stream == stream else { return }
        if let sequence {
            guard isHistorical, gap.sequences.contains(sequence) else { return }
            pending[gateway]?.received.insert(sequence)
        } else {
            pending[gateway]?.unreadable += 1
        }
    }

    /// Handles a gateway's answer to a replay request, which may be another client's.
    mutating func handle(reply: JSONObject, from gateway: GatewayID, at now: BootInstant) {
        guard let request = pending[gateway], reply.text("request_id") == request.id,
            request.answer == nil
        else { return }
        switch reply.text("status") {
        case "accepted":
            pending[gateway]?.sent = now
            pending[gateway]?.attempts = 1
        case "ok": pending[gateway]?.answer = (at: now, count: reply.number("count") ?? 0)
        default:
            postpone(request.gap, reply.text("message") ?? "no reason given", at: now)
            close(gateway, at: now)
        }
    }

    // MARK: Output

    /// Drops the requests to gateways that another logbook serves from now on.
    mutating func release(_ isReleased: (GatewayID) -> Bool) {
        pending = pending.filter { !isReleased($0.key) }
        gapsSince = gapsSince.filter { !isReleased($0.key.gateway) }
    }

    /// Returns the requests to publish now to the gateways of this logbook. Marks numbers in the tracker for
    /// which no record exists any more.
    mutating func step(
        _ tracker: inout RecordGapTracker, of shards: GatewayShards = .all, at now: BootInstant
    ) -> [OutgoingCommand] {
        for (gateway, request) in pending {
            // If all records have arrived, the grace time is skipped.
            if let answer = request.answer,
                answer.at.advanced(by: Self.answerGrace) <= now
                    || tracker.gaps(in: request.gap).isEmpty
            {
                evaluate(request, answer.count, &tracker, at: now)
                close(gateway, at: now)
            }
        }
        guard isConnected else { return [] }
        var requests: [OutgoingCommand] = []
        for gateway in online.sorted() where shards.contains(gateway) {
            if pending[gateway] == nil { chooseNextRequest(gateway, &tracker, at: now) }
            if let request = send(gateway, at: now) { requests.append(request) }
        }
        return requests
    }

    /// Returns and clears the events since the last call.
    mutating func drainEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    private mutating func close(_ gateway: GatewayID, at now: BootInstant) {
        pending[gateway] = nil
        nextRequestAt[gateway] = now.advanced(by: Self.requestInterval)
    }

    /// Evaluates an answered request. If fewer records arrived than the gateway sent, the rest was lost in
    /// transit and is requested again. Otherwise the rest does not exist.
    private mutating func evaluate(
        _ request: PendingRequest, _ count: UInt64, _ tracker: inout RecordGapTracker, at now: BootInstant
    ) {
        let rest = tracker.gaps(in: request.gap)
        if rest.isEmpty {
            delays[request.gap.stream] = nil
            let hasRefused = tracker.hasRefused(request.gap)
            events.append(hasRefused ? .refused(request.gap) : .filled(request.gap))
        } else if case let received = request.received.count + request.unreadable, received < count {
            postpone(request.gap, "\(received) of \(count) sent records arrived", at: now)
        } else if request.unreadable > 0 {
            for gap in rest {
                tracker.markRefused(gap)
                events.append(.refused(gap))
            }
        } else {
            for gap in rest {
                tracker.markGone(gap)
                events.append(.gone(gap))
            }
        }
    }

    private mutating func postpone(_ gap: RecordGapTracker.Gap, _ reason: String, at now: BootInstant) {
        var delay = delays[gap.stream] ?? Delay(until: now)
        delay.until = now.advanced(by: delay.backoff.next())
        delays[gap.stream] = delay
        events.append(.postponed(gap, reason: reason))
    }

    /// Chooses the next gap to request from a gateway.
    private mutating func chooseNextRequest(
        _ gateway: GatewayID, _ tracker: inout RecordGapTracker, at now: BootInstant
    ) {
        if let earliest = nextRequestAt[gateway], now < earliest { return }
        nextRequestAt[gateway] = now.advanced(by: Self.requestInterval)
        let gaps = settledGaps(tracker.gaps(of: gateway), of: gateway, at: now)
        let ring = tracker.rings[gateway]
        if let overwritten = gaps.lazy.compactMap({ Self.overwrittenPart(of: $0, ring) })
            .first
        {
            tracker.markGone(overwritten)
            events.append(.gone(overwritten))
            return
        }
        guard
            let first = gaps.first(where: { delays[$0.stream].map { $0.until <= now } ?? true })
        else { return }
        let (start, end) = (first.sequences.lowerBound, first.sequences.lowerBound + Self.maximumRecords - 1)
        // One request also covers the records between gaps, which costs less than one request per gap.
        let last =
            gaps.filter { $0.stream == first.stream && $0.sequences.lowerBound <= end }
            .last?.sequences.upperBound ?? start
        let gap = RecordGapTracker.Gap(stream: first.stream, sequences: start...min(last, end))
        lastID += 1
        pending[gateway] = PendingRequest(id: "logbook-\(token)-\(lastID)", gap: gap)
        if delays[first.stream] == nil { events.append(.requested(gap)) }
    }

    /// Returns the gaps of streams that have had gaps for `settlingTime`.
    private mutating func settledGaps(
        _ gaps: [RecordGapTracker.Gap], of gateway: GatewayID, at now: BootInstant
    ) -> [RecordGapTracker.Gap] {
        let present = Set(gaps.map(\.stream))
        gapsSince = gapsSince.filter { $0.key.gateway != gateway || present.contains($0.key) }
        for stream in present where gapsSince[stream] == nil { gapsSince[stream] = now }
        return gaps.filter { gap in
            gapsSince[gap.stream].map { $0.duration(to: now) >= Self.settlingTime } ?? false
        }
    }

    /// Returns the part of a gap that the gateway's ring has already overwritten.
    private static func overwrittenPart(
        of gap: RecordGapTracker.Gap, _ ring: RecordGapTracker.Ring?
    ) -> RecordGapTracker.Gap? {
        let (first, last) = (gap.sequences.lowerBound, gap.sequences.upperBound)
        guard let oldest = ring?.streams[gap.stream.stream]?.oldest, first < oldest else {
            return nil
        }
        return RecordGapTracker.Gap(stream: gap.stream, sequences: first...min(last, oldest - 1))
    }

    private mutating func send(_ gateway: GatewayID, at now: BootInstant) -> OutgoingCommand? {
        guard var request = pending[gateway], request.answer == nil else { return nil }
        if let sent = request.sent, sent.duration(to: now) < Self.answerTimeout { return nil }
        guard request.attempts < Self.maximumAttempts else {
            postpone(request.gap, "the gateway does not answer", at: now)
            close(gateway, at: now)
            return nil
        }
        request.sent = now
        request.attempts += 1
        pending[gateway] = request
        let replay = ReplayRequest(
            stream: request.gap.stream.stream, sequences: request.gap.sequences)
        return OutgoingCommand(
            topic: TopicMap(gateway: gateway, below: topicPrefix).topic(
                of: .command(.gateway, verb: ReplayRequest.verb)),
            payload: replay.payload(id: request.id))
    }
}
