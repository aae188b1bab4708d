import Bytes
import Contract
import DeliveryProof
import LogbookStores
import Timeline

/// Asks gateways for what is missing: a pure machine.
///
/// One request at a time for each gateway, of a limited number of records, so that neither the radio's
/// gateway nor the broker's queue for us is overrun. A request keeps its id until it is answered, also
/// over a connection that was lost, and a gateway carries out an id once.
struct ReplayDesk {
    /// A command that the caller is to publish.
    struct Request: Equatable, Sendable {
        let topic: String
        let payload: [UInt8]
    }

    /// What came of a request, for the journal.
    enum News: Equatable, Sendable {
        /// The first time for this hole.
        case asked(HoleLedger.Hole)
        /// Everything that was asked for is here.
        case filled(HoleLedger.Hole)
        /// Numbers that the gateway has no record for.
        case gone(HoleLedger.Hole)
        /// The gateway sent records that break the contract; they are not requested again.
        case refused(HoleLedger.Hole)
        /// The gateway refused, or did not answer; it is asked again later.
        case putOff(HoleLedger.Hole, words: String)
    }

    private struct Asked {
        let id: String
        let hole: HoleLedger.Hole
        /// When it was last sent; nil when it has to be sent.
        var sent: BootInstant?
        var tries = 0
        /// Numbers of it that came since as a replay sends them.
        var heard = SequenceSet()
        /// Messages of the stream that came since and had no number.
        var unreadable: UInt64 = 0
        /// The gateway's answer: when, and how many records it sent.
        var answer: (at: BootInstant, count: UInt64)?
    }

    private struct Delay {
        var failures = 0
        var until: BootInstant
    }

    /// Records that are asked for in one request, which a gateway sends within 2 s.
    static let chunk: UInt64 = 1000
    /// What seems to be missing may be on its way for so long.
    static let settling = Duration.seconds(5)
    /// Between an answer and the judgement of what has not come, since records and answers come on
    /// different topics.
    static let afterAnswer = Duration.seconds(2)
    /// Between two requests to one gateway, and between two looks at what it owes.
    static let pause = Duration.seconds(1)
    /// How long an answer is waited for before the request is sent again.
    static let patience = Duration.seconds(30)
    /// How often a request is sent before it is put off.
    static let tries = 4
    /// How long a stream is put off that was refused: the first time, and at most.
    static let delays = Duration.seconds(30)...Duration.seconds(3600)

    /// Part of each request's id: another run's ids are not ours.
    private let token: String
    private var lastID = 0
    private var asked: [GatewayID: Asked] = [:]
    /// Not before then is a gateway asked again.
    private var pauses: [GatewayID: BootInstant] = [:]
    private var delays: [StoredStream: Delay] = [:]
    /// Gateways whose availability says `online`.
    private var online: Set<GatewayID> = []
    private var isConnected = false
    /// Since when a stream has had holes.
    private var since: [StoredStream: BootInstant] = [:]
    private var news: [News] = []

    /// - Parameter token: of `[a-z0-9]`, another one for each run.
    init(token: String) { self.token = token }

    // MARK: What happens

    /// Everything that the broker keeps is about to come.
    mutating func connected() {
        isConnected = true
        since = [:]
        for gateway in asked.keys { asked[gateway]?.sent = nil }
    }

    mutating func disconnected() {
        isConnected = false
        online = []
    }

    /// The retained availability of a gateway.
    mutating func take(isOnline: Bool, _ gateway: GatewayID) {
        if isOnline { online.insert(gateway) } else { online.remove(gateway) }
    }

    /// A message of a durable topic came.
    ///
    /// - Parameter sequence: its number; nil for a message that was refused and had none.
    mutating func heard(
        _ stream: StreamID, from gateway: GatewayID, _ sequence: UInt64?, isHistorical: Bool
    ) {
        guard let hole = asked[gateway]?.hole, hole.stream.stream == stream else { return }
        if let sequence {
            guard isHistorical, hole.sequences.contains(sequence) else { return }
            asked[gateway]?.heard.insert(sequence)
        } else {
            asked[gateway]?.unreadable += 1
        }
    }

    /// A gateway answered a replay, ours or another's.
    mutating func take(reply: JSONObject, from gateway: GatewayID, at now: BootInstant) {
        guard let request = asked[gateway], reply.text("request_id") == request.id,
            request.answer == nil
        else { return }
        switch reply.text("status") {
        case "accepted":
            asked[gateway]?.sent = now
            asked[gateway]?.tries = 1
        case "ok": asked[gateway]?.answer = (at: now, count: reply.number("count") ?? 0)
        default:
            putOff(request.hole, reply.text("message") ?? "it is not said why", at: now)
            close(gateway, at: now)
        }
    }

    // MARK: What is to be done

    /// Another logbook asks these gateways from now on.
    mutating func leave(_ isLeft: (GatewayID) -> Bool) {
        asked = asked.filter { !isLeft($0.key) }
        since = since.filter { !isLeft($0.key.gateway) }
    }

    /// What is to be published now, of the gateways that are ours. What nobody has any more is settled in
    /// the ledger.
    mutating func step(
        _ ledger: inout HoleLedger, of parts: GatewayParts = .all, at now: BootInstant
    ) -> [Request] {
        for (gateway, request) in asked {
            // What has all come waits for nothing: the next one is asked for.
            if let answer = request.answer,
                answer.at.advanced(by: Self.afterAnswer) <= now
                    || ledger.holes(in: request.hole).isEmpty
            {
                judge(request, answer.count, &ledger, at: now)
                close(gateway, at: now)
            }
        }
        guard isConnected else { return [] }
        var requests: [Request] = []
        for gateway in online.sorted() where parts.contains(gateway) {
            if asked[gateway] == nil { prepare(gateway, &ledger, at: now) }
            if let request = send(gateway, at: now) { requests.append(request) }
        }
        return requests
    }

    /// What happened since the last time.
    mutating func takeNews() -> [News] {
        defer { news = [] }
        return news
    }

    private mutating func close(_ gateway: GatewayID, at now: BootInstant) {
        asked[gateway] = nil
        pauses[gateway] = now.advanced(by: Self.pause)
    }

    /// The gateway sent all that it has. What has not come was lost on the way if fewer arrived than
    /// it sent; else it is gone.
    private mutating func judge(
        _ request: Asked, _ count: UInt64, _ ledger: inout HoleLedger, at now: BootInstant
    ) {
        let rest = ledger.holes(in: request.hole)
        if rest.isEmpty {
            delays[request.hole.stream] = nil
            let hasRefused = ledger.hasRefused(request.hole)
            news.append(hasRefused ? .refused(request.hole) : .filled(request.hole))
        } else if case let heard = request.heard.count + request.unreadable, heard < count {
            putOff(request.hole, "\(heard) of \(count) records arrived that it sent", at: now)
        } else if request.unreadable > 0 {
            for hole in rest {
                ledger.refuse(hole)
                news.append(.refused(hole))
            }
        } else {
            for hole in rest {
                ledger.settle(hole)
                news.append(.gone(hole))
            }
        }
    }

    private mutating func putOff(_ hole: HoleLedger.Hole, _ words: String, at now: BootInstant) {
        let failures = delays[hole.stream]?.failures ?? 0
        let delay = min(Self.delays.lowerBound * (1 << min(failures, 10)), Self.delays.upperBound)
        delays[hole.stream] = Delay(failures: failures + 1, until: now.advanced(by: delay))
        news.append(.putOff(hole, words: words))
    }

    /// Chooses what to ask a gateway for next.
    private mutating func prepare(
        _ gateway: GatewayID, _ ledger: inout HoleLedger, at now: BootInstant
    ) {
        if let pause = pauses[gateway], now < pause { return }
        pauses[gateway] = now.advanced(by: Self.pause)
        let holes = settled(ledger.holes(of: gateway), of: gateway, at: now)
        let ring = ledger.rings[gateway]
        if let forgotten = holes.lazy.compactMap({ Self.forgotten($0, ring) })
            .first
        {
            ledger.settle(forgotten)
            news.append(.gone(forgotten))
            return
        }
        guard
            let first = holes.first(where: { delays[$0.stream].map { $0.until <= now } ?? true })
        else { return }
        let (start, end) = (first.sequences.lowerBound, first.sequences.lowerBound + Self.chunk - 1)
        // What lies between holes comes along: it costs less than a request for each of them.
        let last =
            holes.filter { $0.stream == first.stream && $0.sequences.lowerBound <= end }
            .last?.sequences.upperBound ?? start
        let hole = HoleLedger.Hole(stream: first.stream, sequences: start...min(last, end))
        lastID += 1
        asked[gateway] = Asked(id: "logbook-\(token)-\(lastID)", hole: hole)
        if delays[first.stream] == nil { news.append(.asked(hole)) }
    }

    /// Those of streams that have had holes for a while: what was not missing a moment ago may be on
    /// its way.
    private mutating func settled(
        _ holes: [HoleLedger.Hole], of gateway: GatewayID, at now: BootInstant
    ) -> [HoleLedger.Hole] {
        let present = Set(holes.map(\.stream))
        since = since.filter { $0.key.gateway != gateway || present.contains($0.key) }
        for stream in present where since[stream] == nil { since[stream] = now }
        return holes.filter { hole in
            since[hole.stream].map { $0.duration(to: now) >= Self.settling } ?? false
        }
    }

    /// What of a hole the ring has gone past already; it need not be asked for.
    private static func forgotten(
        _ hole: HoleLedger.Hole, _ ring: HoleLedger.Ring?
    ) -> HoleLedger.Hole? {
        let (first, last) = (hole.sequences.lowerBound, hole.sequences.upperBound)
        guard let oldest = ring?.streams[hole.stream.stream]?.oldest, first < oldest else {
            return nil
        }
        return HoleLedger.Hole(stream: hole.stream, sequences: first...min(last, oldest - 1))
    }

    private mutating func send(_ gateway: GatewayID, at now: BootInstant) -> Request? {
        guard var request = asked[gateway], request.answer == nil else { return nil }
        if let sent = request.sent, sent.duration(to: now) < Self.patience { return nil }
        guard request.tries < Self.tries else {
            putOff(request.hole, "it does not answer", at: now)
            close(gateway, at: now)
            return nil
        }
        request.sent = now
        request.tries += 1
        asked[gateway] = request
        let replay = ReplayRequest(
            stream: request.hole.stream.stream, sequences: request.hole.sequences)
        return Request(
            topic: TopicMap(gateway: gateway).topic(
                of: .command(.gateway, verb: ReplayRequest.verb)),
            payload: replay.payload(id: request.id))
    }
}
