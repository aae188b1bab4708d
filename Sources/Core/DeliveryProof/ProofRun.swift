import Contract
import Timeline

/// Listens, asks once for what is missing, and comes to a verdict: a pure machine.
///
/// What was named when listening ended is what has to be there. It is asked for at once, and only
/// records of it are waited for: a room that rows on changes nothing of it.
package struct ProofRun {
    /// When listening ends.
    package enum End: Equatable, Sendable {
        case interruption
        case after(Duration)
        /// With the first manifest.
        case manifest
    }

    /// A command that the caller is to publish.
    package struct Request: Equatable, Sendable {
        /// The `cmd` topic of the gateway that has what is missing.
        package let topic: String
        /// A `replay` command.
        package let payload: [UInt8]
    }

    private enum Phase: Equatable {
        case listening
        /// Records may still be on their way.
        case settling
        case asking
        case done
    }

    /// When nothing of what is owed came for so long, no record of it is on its way any more.
    package static let quiet = Duration.seconds(2)
    /// How long the answer to a replay is waited for, counted from the last answer or record.
    package static let patience = Duration.seconds(15)
    /// Requests that may wait for their reply at a time; a gateway takes 16.
    static let window = 8

    private let end: End
    private let asks: Bool
    /// Part of each request's id, so that the replies to others are told apart.
    private let token: String
    private let start: BootInstant
    private var ledger: DeliveryLedger
    private var phase = Phase.listening
    /// When the last record came of what is owed, or the last answer, or we last asked.
    private var lastNews: BootInstant
    private var isInterrupted = false
    private var requests: [(id: String, request: Request)] = []
    private var unanswered: Set<String> = []
    private var lastID = 0
    /// Why replays that we asked for were not done.
    package private(set) var refusals: [String] = []
    /// How many replays were asked for.
    package private(set) var requestCount = 0

    /// - Parameters:
    ///   - asks: whether to ask for a replay of what is missing, once.
    ///   - token: of `[a-z0-9]`, another one for each run.
    package init(
        until end: End, asks: Bool, ledger: DeliveryLedger, token: String, at now: BootInstant
    ) {
        self.end = end
        self.asks = asks
        self.ledger = ledger
        self.token = token
        start = now
        lastNews = now
    }

    /// Whether the verdict is final.
    package var isDone: Bool { phase == .done }

    /// As of what has come so far.
    package mutating func verdict() -> DeliveryVerdict { ledger.verdict() }

    /// Takes a message of any topic of rowgate.
    package mutating func take(topic: String, payload: [UInt8], at now: BootInstant) {
        let before = ledger.owedRecordCount
        let notice = ledger.take(topic: topic, payload: payload)
        if ledger.owedRecordCount > before { lastNews = now }
        switch notice {
        case .manifest: if end == .manifest, phase == .listening { close(at: now) }
        case .replayReply(let id, let status, let message):
            guard status != "accepted", unanswered.remove(id) != nil else { return }
            lastNews = now
            if status != "ok" { refusals.append(message) }
        case nil: break
        }
    }

    /// The user does not want to listen any longer; a second time, nor to wait.
    package mutating func interrupt(at now: BootInstant) {
        if phase == .listening, !isInterrupted { close(at: now) } else { phase = .done }
        isInterrupted = true
    }

    /// Listening ends.
    private mutating func close(at now: BootInstant) {
        ledger.close()
        if asks { prepare(ledger.verdict()) }
        phase = requests.isEmpty ? .settling : .asking
        lastNews = now
    }

    /// Goes on; returns what is to be published now.
    package mutating func step(at now: BootInstant) -> [Request] {
        if case .after(let time) = end, phase == .listening, start.duration(to: now) >= time {
            close(at: now)
        }
        let quiet = lastNews.duration(to: now)
        let isAnswered = requests.isEmpty && unanswered.isEmpty
        switch phase {
        case .listening, .done: break
        case .settling, .asking:
            let isOver = quiet >= (isAnswered ? Self.quiet : Self.patience)
            if isOver || ledger.verdict().isComplete { phase = .done }
        }
        return phase == .asking ? sendNext(at: now) : []
    }

    /// One request a stream, from the first to the last missing number: what comes along between
    /// them costs little, and a gateway takes only so many.
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
                topic: TopicMap(gateway: gateway).topic(
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
            lastNews = now
        }
        return sent
    }
}
