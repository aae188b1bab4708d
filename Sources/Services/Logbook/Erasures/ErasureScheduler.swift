import Bytes
import Contract
import LogbookStores
import Timeline

/// Schedules erasure requests, one athlete at a time for each gateway. It has no clock and does no I/O.
///
/// A request keeps its id until it is answered, so that a gateway executes it once. After a refusal, the next
/// attempt has a new id, because a gateway repeats its answer to an id for an hour.
struct ErasureScheduler {
    private struct PendingRequest {
        let athlete: String
        let id: String
        var sent: BootInstant
    }

    /// The time without an answer after which a request is sent again. A gateway reads its whole ring log
    /// first.
    static let replyTimeout = Duration.seconds(60)
    /// The first and the longest delay after a refusal.
    static let backoff = Duration.seconds(30)...Duration.seconds(3600)

    private let topicPrefix: TopicPrefix
    private var pending: [GatewayID: PendingRequest] = [:]
    private var delays: [GatewayID: (backoff: ExponentialBackoff, until: BootInstant)] = [:]

    init(below topicPrefix: TopicPrefix = .standard) { self.topicPrefix = topicPrefix }

    /// Returns the commands to publish now.
    ///
    /// - Parameters:
    ///   - erasureRequests: All stored erasure requests.
    ///   - isOnline: Whether a gateway is online.
    ///   - makeID: Creates a unique id.
    mutating func step(
        _ erasureRequests: [ErasureRequest], isOnline: (GatewayID) -> Bool, at now: BootInstant,
        makeID: () -> String
    ) -> [OutgoingCommand] {
        var commands: [OutgoingCommand] = []
        let waiting = erasureRequests.filter { $0.athlete != nil }
        for gateway in Set(waiting.map(\.gateway)).sorted() {
            guard isOnline(gateway) else {
                // A gateway that restarts may have a new configuration that allows erasure.
                delays[gateway] = nil
                continue
            }
            if let request = pending[gateway] {
                guard request.sent.duration(to: now) >= Self.replyTimeout else { continue }
                pending[gateway]?.sent = now
            } else {
                if let delay = delays[gateway], now < delay.until { continue }
                guard let athlete = waiting.first(where: { $0.gateway == gateway })?.athlete
                else { continue }
                pending[gateway] = PendingRequest(athlete: athlete, id: makeID(), sent: now)
            }
            if let request = pending[gateway] { commands.append(command(request, to: gateway)) }
        }
        return commands
    }

    /// Handles a gateway's answer. Returns the athlete and the new state; nil for another client's request,
    /// and while the gateway is still working.
    mutating func handle(
        reply: JSONObject, from gateway: GatewayID, at now: BootInstant
    ) -> (athlete: String, state: ErasureRequest.State)? {
        guard let request = pending[gateway], reply.text("request_id") == request.id else {
            return nil
        }
        switch reply.text("status") {
        case "accepted":
            pending[gateway]?.sent = now
            return nil
        case "ok":
            (pending[gateway], delays[gateway]) = (nil, nil)
            let state = ErasureRequest.State.erased(
                records: reply.number("erased") ?? 0, unreadable: reply.number("unreadable") ?? 0)
            return (request.athlete, state)
        default:
            pending[gateway] = nil
            var backoff = delays[gateway]?.backoff ?? ExponentialBackoff(Self.backoff)
            let delay = backoff.next()
            delays[gateway] = (backoff, now.advanced(by: delay))
            let words = reply.text("message").map { String($0.prefix(300)) }
            return (request.athlete, .waiting(refusal: words ?? "no reason given"))
        }
    }

    private func command(_ request: PendingRequest, to gateway: GatewayID) -> OutgoingCommand {
        OutgoingCommand(
            topic: TopicMap(gateway: gateway, below: topicPrefix)
                .topic(of: .command(.gateway, verb: CommandVerb.forget.rawValue)),
            payload: JSONWriter.object { json in
                json.field("request_id", request.id)
                json.field("athlete_id", request.athlete)
            })
    }
}
