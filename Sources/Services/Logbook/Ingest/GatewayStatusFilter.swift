import Bytes
import Contract
import LogbookStores

/// Selects the gateway status messages that are worth a write to the disk: changed messages at once,
/// unchanged ones every five minutes. It has no clock.
struct GatewayStatusFilter: Sendable {
    /// The interval at which unchanged messages are stored, in milliseconds.
    static let repeatInterval: Int64 = 5 * 60_000

    private struct Key: Hashable {
        let gateway: GatewayID
        let kind: GatewayStatusMessage.Kind
    }

    private var stored: [Key: GatewayStatusMessage] = [:]

    /// Returns the current messages that should be stored, and treats them as stored.
    ///
    /// - Parameter isLast: The program stops, so every changed message is returned.
    mutating func selectForStorage(_ messages: [GatewayStatusMessage], isLast: Bool = false)
        -> [GatewayStatusMessage]
    {
        var current: [Key: GatewayStatusMessage] = [:]
        var selected: [GatewayStatusMessage] = []
        for message in messages {
            let key = Key(gateway: message.gateway, kind: message.kind)
            let earlier = stored[key]
            let isSelected = earlier.map { Self.shouldStore(message, after: $0, isLast) } ?? true
            if isSelected { selected.append(message) }
            current[key] = isSelected ? message : earlier
        }
        stored = current
        return selected
    }

    private static func shouldStore(
        _ message: GatewayStatusMessage, after earlier: GatewayStatusMessage, _ isLast: Bool
    ) -> Bool {
        if message == earlier { return false }
        if isLast || message.reportedAt - earlier.reportedAt >= repeatInterval { return true }
        switch message.kind {
        case .availability, .birth: return message.payload != earlier.payload
        // Measured values and the texts of reasons differ in every message.
        case .health: return Self.statusAndReasonCount(message) != Self.statusAndReasonCount(earlier)
        }
    }

    private static func statusAndReasonCount(_ health: GatewayStatusMessage) -> [String] {
        guard let fields = try? JSONObject(parsing: health.payload) else { return [] }
        guard case .list(let reasons)? = fields["reasons"] else {
            return [fields.text("status") ?? ""]
        }
        return [fields.text("status") ?? "", "\(reasons.count)"]
    }
}
