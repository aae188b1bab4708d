import Bytes
import TestSupport
import Timeline

/// A coach in stepped time: sends commands through the broker, and holds what is answered against
/// what was asked.
final class SteppedCoach: @unchecked Sendable {  // of the loop's thread alone
    enum Wish: String, CaseIterable {
        case assign, unassign, release, takeBack, workout, terminate, rate, identify, replay, again
        case ack
    }

    private struct Request {
        let topic: String
        let payload: String
        /// Whose place it is about, and who is to sit there from the reply on.
        var seating: (place: Int, athlete: String?)?
    }

    /// What a place may answer that is in order.
    private static let codes: Set = [
        "done", "in_progress", "busy", "not_connected", "rowing", "no_answer", "not_verified",
        "monitor_refused", "interrupted", "unknown_erg", "unknown_alert",
    ]

    private let broker: SteppedBroker
    private let ergs: [SteppedErg]
    private let places: [String]
    private var random: SeededGenerator
    private var requests: [String: Request] = [:]
    /// The newest request that says who sits at a place.
    private var newestSeating: [Int: String] = [:]
    private var replies: [String: [UInt8]] = [:]
    /// A request that was answered for good, to be sent once more; forgotten after an hour.
    private var answered: (id: String, at: BootInstant)?
    /// Of the newest alert that began.
    private var alert = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
    private(set) var violations: [String] = []
    private(set) var answers: [String: Int] = [:]

    init(broker: SteppedBroker, ergs: [SteppedErg], places: [String], seed: UInt64) {
        (self.broker, self.ergs, self.places) = (broker, ergs, places)
        random = SeededGenerator(seed: seed)
    }

    /// Wishes for something, a few things at a time, and waits for the answers.
    func command(on machine: SteppedRuntime) async {
        let sent = (0...random.next() % 6).compactMap { _ in send(at: machine.now()) }
        await machine.sleep(for: .seconds(60))
        for id in sent where replies[id] == nil {
            violations.append("\(requests[id]?.topic ?? "") \(id) was not answered")
        }
    }

    /// Returns the request's id; nil where no gateway hears it.
    private func send(at now: BootInstant) -> String? {
        let linked = places.indices.filter { ergs[$0].isLinked }
        let among = linked.isEmpty || random.next() % 4 == 0 ? Array(places.indices) : linked
        let place = among[Int(random.next() % UInt64(among.count))]
        let wish = Wish.allCases[Int(random.next() % UInt64(Wish.allCases.count))]
        var id = "r\(requests.count + 1)"
        let request: Request
        if wish == .again {
            guard let answered, answered.at.duration(to: now) < .seconds(3000),
                let old = requests[answered.id]
            else { return nil }
            (id, request) = (answered.id, old)
        } else {
            request = self.request(wish, at: place, id: id)
        }
        guard broker.send(Array(request.payload.utf8), to: request.topic) else { return nil }
        guard wish != .again else { return id }
        requests[id] = request
        if wish == .assign || wish == .unassign {
            newestSeating[place] = id
            // What was heard a moment ago may be recorded after the change.
            ergs[place].changeSeating(to: .unknown, since: now.advanced(by: .seconds(-60)))
        }
        return id
    }

    private func request(_ wish: Wish, at place: Int, id: String) -> Request {
        let athlete = "athlete-\(random.next() % 5)"
        let fields: String
        var verb = wish.rawValue
        var seating: (Int, String?)?
        switch wish {
        case .assign:
            seating = (place, athlete)
            fields = #","athlete_id":"\#(athlete)""#
        case .unassign:
            seating = (place, nil)
            (verb, fields) = ("assign", "")
        case .release: fields = #","for_s":\#(20 + random.next() % 100),"force":true"#
        case .takeBack: (verb, fields) = ("release", #","for_s":0"#)
        case .workout:
            fields = #","type":"distance","distance_m":500,"force":\#(random.next() % 2 == 0)"#
        case .rate: fields = #","ms":\#(random.next() % 2 == 0 ? 500 : 250)"#
        case .replay:
            let first = 1 + random.next() % 2000
            fields =
                #","erg":"\#(places[place])","kind":"stroke","from_seq":\#(first)"#
                + #","to_seq":\#(first + random.next() % 200)"#
        case .ack: fields = #","alert_id":"\#(alert)","by":"anna""#
        case .terminate, .identify, .again: fields = ""
        }
        let target = [.replay, .ack].contains(wish) ? "" : "erg/\(places[place])/"
        return Request(
            topic: "rowgate/v1/boathouse/\(target)cmd/\(verb)",
            payload: #"{"request_id":"\#(id)"\#(fields)}"#, seating: seating)
    }

    /// Takes every message that the gateway publishes.
    func take(topic: String, payload: [UInt8], at now: BootInstant) {
        if topic.hasSuffix("/alert"),
            let id = (try? JSONObject(parsing: payload))?.text("alert_id")
        {
            alert = id
        }
        guard topic.contains("/rsp/"),
            case .object(let fields)? = try? JSONValue(parsing: payload),
            let id = fields.text("request_id"), let code = fields.text("code")
        else { return }
        guard let request = requests[id] else { return violations.append("\(id) was never asked") }
        answers[code, default: 0] += 1
        if !Self.codes.contains(code) {
            violations.append("\(request.topic) \(request.payload): \(code)")
        }
        if let reply = replies[id], answered?.id == id, reply != payload {
            violations.append("\(id) was answered in two ways")
        }
        replies[id] = payload
        guard code == "done" else { return }
        if request.topic.hasSuffix("/identify") == false { answered = (id, now) }
        if let (place, athlete) = request.seating, newestSeating[place] == id {
            ergs[place].changeSeating(to: .known(athlete), since: now)
        }
    }
}
