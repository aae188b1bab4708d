import Contract
import Timeline

/// State machine of a proof: listens, requests a replay of missing records once, and gives a verdict.
///
/// It expects the numbers that were announced when listening ended, and waits only for their
/// records. Later rowing does not change the verdict.
package struct ProofRun {
    /// Condition that ends listening.
    package enum End: Equatable, Sendable {
        case interruption
        case after(Duration)
        /// The first manifest.
        case manifest
    }

    /// A command for the caller to publish.
    package struct Request: Equatable, Sendable {
        /// `cmd` topic of the gateway that has the missing records.
        package let topic: String
        /// A `replay` command.
        package let payload: [UInt8]
    }

    private enum Phase: Equatable {
        case listening
        /// Waiting for late records.
        case settling
        /// Waiting for replays.
        case requesting
        case done
    }

    /// Settling ends when no expected record has come for this time.
    package static let quiet = Duration.seconds(2)
    /// Timeout for the reply to a replay, counted from the last reply or record.
    package static let patience = Duration.seconds(15)
    /// Maximum number of unanswered requests; a gateway accepts 16.
    static let window = 8

    private let end: End
    private let requestsReplays: Bool
    /// Part of each request id, to recognise replies to our own requests.
    private let token: String
    private let start: BootInstant
    private var ledger: DeliveryLedger
    private var phase = Phase.listening
    /// Time of the last expected record, reply or request.
    private var lastProgress: BootInstant
    private var isInterrupted = false
    private var requests: [(id: String, request: Request)] = []
    private var unanswered: Set<String> = []
    private var lastID = 0
    /// Messages of failed replays.
    package private(set) var refusals: [String] = []
    /// Number of replay requests.
    package private(set) var requestCount = 0

    /// - Parameters:
    ///   - requestsReplays: whether to request a replay of missing records, once.
    ///   - token: unique for each run; characters `[a-z0-9]`.
    package init(
        until end: End, requestsReplays: Bool, ledger: DeliveryLedger, token: String, at now: BootInstant
    ) {
        self.end = end
        self.requestsReplays = requestsReplays
        self.ledger = ledger
        self.token = token
        start = now
        lastProgress = now
    }

    /// Whether the verdict is final.
    package var isDone: Bool { phase == .done }

    /// The verdict on the messages received so far.
    package mutating func verdict() -> DeliveryVerdict { ledger.verdict() }

    /// Handles a message of any topic of rowgate.
    package mutating func receive(topic: String, payload: [UInt8], at now: BootInstant) {
        let before = ledger.expectedRecordCount
        let notice = ledger.apply(topic: topic, payload: payload)
        if ledger.expectedRecordCount > before { lastProgress = now }
        switch notice {
        case .manifest: if end == .manifest, phase == .listening { close(at: now) }
        case .replayReply(let id, let status, let message):
            guard status != "accepted", unanswered.remove(id) != nil else { return }
            lastProgress = now
            if status != "ok" { refusals.append(message) }
        case nil: break
        }
    }

    /// Ends listening; a second call also ends the wait for records.
    package mutating func interrupt(at now: BootInstant) {
        if phase == .listening, !isInterrupted { close(at: now) } else { phase = .done }
        isInterrupted = true
    }

    /// Ends listening and prepares the replay requests.
    private mutating func close(at now: BootInstant) {
        ledger.close()
        if requestsReplays { prepare(ledger.verdict()) }
        phase = requests.isEmpty ? .settling : .requesting
        lastProgress = now
    }

    /// Advances the state; returns the requests to publish now.
    package mutating func step(at now: BootInstant) -> [Request] {
        if case .after(let time) = end, phase == .listening, start.duration(to: now) >= time {
            close(at: now)
        }
        let quiet = lastProgress.duration(to: now)
        let isAnswered = requests.isEmpty && unanswered.isEmpty
        switch phase {
        case .listening, .done: break
        case .settling, .requesting:
            let isOver = quiet >= (isAnswered ? Self.quiet : Self.patience)
            if isOver || ledger.verdict().isComplete { phase = .done }
        }
        return phase == .requesting ? sendNext(at: now) : []
    }

    /// Prepares one request per stream, from the first to the last missing number. Extra records between
    /// them cost little, and a gateway accepts only a few requests.
    private mutating func prepare(_ verdict: DeliveryVerdict) {
        var spans: [(gateway: GatewayID, request: ReplayRequest)] = []
        for (gateway, request) in verdict.replayable {
            if let last = spans.indices.last, spans[last].gateway == gateway,
                spans[last].request.stream == request.stream
            {
                let first = spans[last].request.sequences.lowerBound
                spans[last].request.sequences = first...request.sequences.upperBound
            } else {
                spans.append((gateway, request))
            }
        }
        for (gateway, request) in spans {
            lastID += 1
            let id = "prove-\(token)-\(lastID)"
            let command = Request(
                topic: TopicMap(gateway: gateway, below: ledger.topicPrefix).topic(
                    of: .command(.gateway, verb: ReplayRequest.verb)),
                payload: request.payload(id: id))
            requests.append((id, command))
        }
        requestCount = requests.count
    }

    private mutating func sendNext(at now: BootInstant) -> [Request] {
        var sent: [Request] = []
        while unanswered.count < Self.window, !requests.isEmpty {
            let (id, request) = requests.removeFirst()
            unanswered.insert(id)
            sent.append(request)
            lastProgress = now
        }
        return sent
    }
}
