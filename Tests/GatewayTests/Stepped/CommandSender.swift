import Bytes
import Contract
import TestSupport

/// A logbook or a coach at the broker of a stepped day, who sends one command after the other.
final class CommandSender: @unchecked Sendable {  // used only on the loop's thread
    let day: SteppedDay
    let machine: SteppedRuntime
    private var replies: [String: JSONObject] = [:]
    private var requests = 0

    init(_ day: SteppedDay, on machine: SteppedRuntime) {
        (self.day, self.machine) = (day, machine)
        day.broker.onMessage = { [unowned self] topic, payload in
            guard topic.contains("/rsp/"), let fields = try? JSONObject(parsing: payload) else { return }
            replies[fields.text("request_id") ?? ""] = fields
        }
    }

    /// The last reply.
    var reply: JSONObject? { replies["r\(requests)"] }

    /// Sends a command and returns the code of the reply.
    func send(_ command: String, _ fields: String = "") async -> String? {
        requests += 1
        let payload = #"{"request_id":"r\#(requests)"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
        _ = day.broker.send(Array(payload.utf8), to: "rowgate/v1/boathouse/\(command)")
        await machine.sleep(for: .seconds(5))
        return reply?.text("code")
    }

    /// A retained message, by its topic below the gateway.
    func retained(_ topic: String) -> JSONObject? {
        day.broker.retained["rowgate/v1/boathouse/\(topic)"].flatMap { try? JSONObject(parsing: $0) }
    }
}
