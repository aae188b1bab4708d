import Contract
import Timeline

/// Listens, asks once for what is missing, and comes to a verdict: a pure machine.
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
        /// Records may still be on their way; since when nothing came.
        case settling
        case asking
        case done
    }

    /// When nothing came for so long, nothing more is on its way.
    package static let quiet = Duration.seconds(2)
    /// When a gateway has answered nothing for so long, it is waited for no longer.
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
    private var lastRecord: BootInstant
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
        lastRecord = now
    }

    /// Whether the verdict is final.
    package var isDone: Bool { phase == .done }

    /// As of what has come so far.
    package mutating func verdict() -> DeliveryVerdict { ledger.verdict() }

    /// Takes a message of any topic of rowgate.
    package mutating func take(topic: String, payload: [UInt8], at now: BootInstant) {
        let before = ledger.recordCount
        let notice = ledger.take(topic: topic, payload: payload)
        if ledger.recordCount > before { lastRecord = now }
        switch notice {
        case .manifest: if end == .manifest, phase == .listening { settle(at: now) }
        case .replayReply(let id, let status, let message):
            guard status != "accepted", unanswered.remove(id) != nil else { return }
            lastRecord = now
            if status != "ok" { refusals.append(message) }
        case nil: break
        }
    }

    /// The user does not want to listen any longer; a second time, nor to wait.
    package mutating func interrupt(at now: BootInstant) {
        if phase == .listening, !isInterrupted { settle(at: now) } else { phase = .done }
        isInterrupted = true
    }

    private mutating func settle(at now: BootInstant) {
        phase = .settling
        lastRecord = max(lastRecord, now)
    }

    /// Goes on; returns what is to be published now.
    package mutating func step(at now: BootInstant) -> [Request] {
        if case .after(let time) = end, phase == .listening, start.duration(to: now) >= time {
            settle(at: now)
        }
        let quiet = lastRecord.duration(to: now)
        switch phase {
        case .listening, .done: break
        case .settling:
            let verdict = ledger.verdict()
            if verdict.isComplete {
                phase = .done
            } else if quiet >= Self.quiet {
                prepare(verdict)
                phase = requests.isEmpty ? .done : .asking
                lastRecord = now
            }
        case .asking:
            let isOver = requests.isEmpty && unanswered.isEmpty && quiet >= Self.quiet
            if isOver || quiet >= Self.patience || ledger.verdict().isComplete { phase = .done }
        }
        return phase == .asking ? sendNext() : []
    }

    /// One request a stream, from the first to the last missing number: what comes along between
    /// them costs little, and a gateway takes only so many.
    private mutating func prepare(_ verdict: DeliveryVerdict) {
        guard asks else { return }
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

    private mutating func sendNext() -> [Request] {
        var sent: [Request] = []
        while unanswered.count < Self.window, !requests.isEmpty {
            let (id, request) = requests.removeFirst()
            unanswered.insert(id)
            sent.append(request)
        }
        return sent
    }
}
