import Bytes
import TestSupport
import Timeline

/// A coach in stepped time: sends commands through the broker and checks the replies.
final class SteppedCoach: @unchecked Sendable {  // used only on the loop's thread
    enum Action: String, CaseIterable {
        case assign, unassign, release, reclaim, workout, terminate, rate, identify, replay, resend
        case ack
    }

    private struct Request {
        let topic: String
        let payload: String
        /// The erg and its athlete from the reply on.
        var assignment: (place: Int, athlete: String?)?
    }

    /// Valid codes of replies.
    private static let codes: Set = [
        "done", "in_progress", "busy", "not_connected", "rowing", "no_answer", "not_verified",
        "monitor_refused", "interrupted", "unknown_erg", "unknown_alert",
    ]

    private let broker: SteppedBroker
    private let ergs: [SteppedErg]
    private let slugs: [String]
    private var random: SeededGenerator
    private var requests: [String: Request] = [:]
    /// The newest request that assigns an athlete, by erg.
    private var newestAssignment: [Int: String] = [:]
    private var replies: [String: [UInt8]] = [:]
    /// The last request with a final answer, for a repetition within an hour.
    private var answered: (id: String, at: BootInstant)?
    /// The id of the newest alert.
    private var alert = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
    private(set) var violations: [String] = []
    private(set) var answers: [String: Int] = [:]

    init(broker: SteppedBroker, ergs: [SteppedErg], slugs: [String], seed: UInt64) {
        (self.broker, self.ergs, self.slugs) = (broker, ergs, slugs)
        random = SeededGenerator(seed: seed)
    }

    /// Sends up to six commands, and waits for the replies.
    func command(on machine: SteppedRuntime) async {
        let sent = (0...random.next() % 6).compactMap { _ in send(at: machine.now()) }
        await machine.sleep(for: .seconds(60))
        for id in sent where replies[id] == nil {
            violations.append("\(requests[id]?.topic ?? "") \(id) was not answered")
        }
    }

    /// Returns the request's id; nil if no gateway receives it.
    private func send(at now: BootInstant) -> String? {
        let linked = slugs.indices.filter { ergs[$0].isLinked }
        let among = linked.isEmpty || random.next() % 4 == 0 ? Array(slugs.indices) : linked
        let place = among[Int(random.next() % UInt64(among.count))]
        let action = Action.allCases[Int(random.next() % UInt64(Action.allCases.count))]
        var id = "r\(requests.count + 1)"
        let request: Request
        if action == .resend {
            guard let answered, answered.at.duration(to: now) < .seconds(3000),
                let old = requests[answered.id]
            else { return nil }
            (id, request) = (answered.id, old)
        } else {
            request = self.request(action, at: place, id: id)
        }
        guard broker.send(Array(request.payload.utf8), to: request.topic) else { return nil }
        guard action != .resend else { return id }
        requests[id] = request
        if action == .assign || action == .unassign {
            newestAssignment[place] = id
            // Strokes received just before may be recorded after the change.
            ergs[place].changeAssignment(to: .unknown, since: now.advanced(by: .seconds(-60)))
        }
        return id
    }

    private func request(_ action: Action, at place: Int, id: String) -> Request {
        let athlete = "athlete-\(random.next() % 5)"
        let fields: String
        var verb = action.rawValue
        var assignment: (Int, String?)?
        switch action {
        case .assign:
            assignment = (place, athlete)
            fields = #","athlete_id":"\#(athlete)""#
        case .unassign:
            assignment = (place, nil)
            (verb, fields) = ("assign", "")
        case .release: fields = #","for_s":\#(20 + random.next() % 100),"force":true"#
        case .reclaim: (verb, fields) = ("release", #","for_s":0"#)
        case .workout:
            fields = #","type":"distance","distance_m":500,"force":\#(random.next() % 2 == 0)"#
        case .rate: fields = #","ms":\#(random.next() % 2 == 0 ? 500 : 250)"#
        case .replay:
            let first = 1 + random.next() % 2000
            fields =
                #","erg":"\#(slugs[place])","kind":"stroke","from_seq":\#(first)"#
                + #","to_seq":\#(first + random.next() % 200)"#
        case .ack: fields = #","alert_id":"\#(alert)","by":"anna""#
        case .terminate, .identify, .resend: fields = ""
        }
        let target = [.replay, .ack].contains(action) ? "" : "erg/\(slugs[place])/"
        return Request(
            topic: "rowgate/v1/boathouse/\(target)cmd/\(verb)",
            payload: #"{"request_id":"\#(id)"\#(fields)}"#, assignment: assignment)
    }

    /// Handles a message of the gateway.
    func receive(topic: String, payload: [UInt8], at now: BootInstant) {
        if topic.hasSuffix("/alert"),
            let id = (try? JSONObject(parsing: payload))?.text("alert_id")
        {
            alert = id
        }
        guard topic.contains("/rsp/"),
            case .object(let fields)? = try? JSONValue(parsing: payload),
            let id = fields.text("request_id"), let code = fields.text("code")
        else { return }
        guard let request = requests[id] else { return violations.append("\(id) was never sent") }
        answers[code, default: 0] += 1
        if !Self.codes.contains(code) {
            violations.append("\(request.topic) \(request.payload): \(code)")
        }
        if let reply = replies[id], answered?.id == id, reply != payload {
            violations.append("\(id) has two different replies")
        }
        replies[id] = payload
        guard code == "done" else { return }
        if request.topic.hasSuffix("/identify") == false { answered = (id, now) }
        if let (place, athlete) = request.assignment, newestAssignment[place] == id {
            ergs[place].changeAssignment(to: .known(athlete), since: now)
        }
    }
}
