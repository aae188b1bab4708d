import Bytes

/// What a subscriber hears of alerts, and of commands about them.
final class AlertListener: @unchecked Sendable {  // of the loop's thread alone
    /// `erg-3 link_lost firing`, or `backlog firing` of the gateway itself, in order.
    private(set) var words: [String] = []
    private(set) var records: [JSONObject] = []
    /// The codes of replies to `ack`.
    private(set) var answers: [String] = []

    func take(_ topic: String, _ payload: [UInt8]) {
        guard let fields = try? JSONObject(parsing: payload) else { return }
        if topic.hasSuffix("/rsp/ack") { answers.append(fields.text("code") ?? "") }
        guard topic.hasSuffix("/alert") else { return }
        records.append(fields)
        let parts = [fields.text("erg"), fields.text("rule"), fields.text("state")]
        words.append(parts.compactMap(\.self).joined(separator: " "))
    }

    /// Of each record of a rule, its alert's id.
    func ids(_ rule: String) -> [String?] {
        records.filter { $0.text("rule") == rule }.map { $0.text("alert_id") }
    }
}
