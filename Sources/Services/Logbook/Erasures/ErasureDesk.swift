import Bytes
import Contract
import LogbookStores
import Timeline

/// Asks gateways to forget athletes, one athlete of a gateway at a time: a pure machine.
///
/// A request keeps its id until it is answered, so that a gateway carries it out once; one that was
/// refused is another request when it is asked again, since a gateway repeats its answer for an hour.
struct ErasureDesk {
    private struct Asked {
        let athlete: String
        let id: String
        var sent: BootInstant
    }

    /// How long an answer is waited for before the request is sent again: a gateway reads its whole ring.
    static let patience = Duration.seconds(60)
    /// How long a gateway that refused is left alone: the first time, and at most.
    static let delays = Duration.seconds(30)...Duration.seconds(3600)

    private var asked: [GatewayID: Asked] = [:]
    private var delays: [GatewayID: (count: Int, until: BootInstant)] = [:]

    /// What is to be published now.
    ///
    /// - Parameters:
    ///   - errands: all there are.
    ///   - isThere: whether a gateway hears us.
    ///   - makeID: an id that nobody has used.
    mutating func step(
        _ errands: [Errand], isThere: (GatewayID) -> Bool, at now: BootInstant, makeID: () -> String
    ) -> [ReplayDesk.Request] {
        var requests: [ReplayDesk.Request] = []
        let waiting = errands.filter { $0.athlete != nil }
        for gateway in Set(waiting.map(\.gateway)).sorted() {
            guard isThere(gateway) else {
                // Who comes back may have been told to allow it.
                delays[gateway] = nil
                continue
            }
            if let request = asked[gateway] {
                guard request.sent.duration(to: now) >= Self.patience else { continue }
                asked[gateway]?.sent = now
            } else {
                if let delay = delays[gateway], now < delay.until { continue }
                guard let athlete = waiting.first(where: { $0.gateway == gateway })?.athlete
                else { continue }
                asked[gateway] = Asked(athlete: athlete, id: makeID(), sent: now)
            }
            if let request = asked[gateway] { requests.append(Self.request(request, to: gateway)) }
        }
        return requests
    }

    /// A gateway answered a request to forget, ours or another's. Whose it was, and what is known now;
    /// nil for another's, and while it is at it.
    mutating func take(
        reply: JSONObject, from gateway: GatewayID, at now: BootInstant
    ) -> (athlete: String, state: Errand.State)? {
        guard let request = asked[gateway], reply.text("request_id") == request.id else {
            return nil
        }
        switch reply.text("status") {
        case "accepted":
            asked[gateway]?.sent = now
            return nil
        case "ok":
            (asked[gateway], delays[gateway]) = (nil, nil)
            let state = Errand.State.erased(
                records: reply.number("erased") ?? 0, unreadable: reply.number("unreadable") ?? 0)
            return (request.athlete, state)
        default:
            asked[gateway] = nil
            let count = delays[gateway]?.count ?? 0
            let delay = min(Self.delays.lowerBound * (1 << min(count, 10)), Self.delays.upperBound)
            delays[gateway] = (count + 1, now.advanced(by: delay))
            let words = reply.text("message").map { String($0.prefix(300)) }
            return (request.athlete, .waiting(words: words ?? "it is not said why"))
        }
    }

    private static func request(_ asked: Asked, to gateway: GatewayID) -> ReplayDesk.Request {
        ReplayDesk.Request(
            topic: TopicMap(gateway: gateway)
                .topic(of: .command(.gateway, verb: CommandVerb.forget.rawValue)),
            payload: JSONWriter.object { json in
                json.field("request_id", asked.id)
                json.field("athlete_id", asked.athlete)
            })
    }
}
