import Bytes

/// A subscriber to alerts and to replies of `ack`.
final class AlertListener: @unchecked Sendable {  // used only on the loop's thread
    /// `erg-3 link_lost firing`, or `backlog firing` of the gateway itself, in order.
    private(set) var events: [String] = []
    private(set) var records: [JSONObject] = []
    /// The codes of replies to `ack`.
    private(set) var answers: [String] = []

    func receive(_ topic: String, _ payload: [UInt8]) {
        guard let fields = try? JSONObject(parsing: payload) else { return }
        if topic.hasSuffix("/rsp/ack") { answers.append(fields.text("code") ?? "") }
        guard topic.hasSuffix("/alert") else { return }
        records.append(fields)
        let parts = [fields.text("erg"), fields.text("rule"), fields.text("state")]
        events.append(parts.compactMap(\.self).joined(separator: " "))
    }

    /// The alert ids of the records of a rule.
    func ids(_ rule: String) -> [String?] {
        records.filter { $0.text("rule") == rule }.map { $0.text("alert_id") }
    }
}
