import Bytes
import Contract
import LogbookStores
import Timeline

/// The state of one gateway in an HTTP response. Live messages come first; stored data fill the rest.
struct GatewayReport {
    /// The largest number of ergs in a report.
    private static let maximumErgs = LiveBoard.Limits().ergs

    private var summary: GatewaySummary
    private let live: LiveGateway
    private let clock: WallClock
    private let presence: LiveGateway.Presence
    private let hasStore: Bool
    private let birth: JSONObject?
    private let health: JSONObject?

    init(
        _ summary: GatewaySummary, _ live: LiveGateway, at now: BootInstant, _ clock: WallClock,
        isBrokerConnected: Bool = true, hasStore: Bool
    ) {
        var summary = summary
        for message in live.statusMessages(of: summary.gateway, clock) {
            summary.statusMessages[message.kind] = message
        }
        (birth, health) = (summary.fields(of: .birth), summary.fields(of: .health))
        (self.summary, self.live) = (summary, live)
        (self.clock, self.hasStore) = (clock, hasStore)
        presence = live.presence(at: now, isBrokerConnected: isBrokerConnected)
    }

    /// Writes the members of the open JSON object.
    func write(into json: inout JSONWriter) {
        json.field("gw", summary.gateway.slug)
        json.field("presence", presence.rawValue)
        let lastReceived = [live.lastReceived.map(clock.unixMilliseconds(at:)), summary.reportedAt]
        json.field("heard_ms", lastReceived.compactMap(\.self).max())
        summary.writeStatus(into: &json)
        json.list("ergs", of: ergs) { write($1, into: &$0) }
        if hasStore { summary.writeCounts(into: &json) }
    }

    /// The ergs with messages and the ergs that the gateway's birth message lists.
    private var ergs: [StationID] {
        var named: [StationID] = []
        if case .list(let slugs)? = birth?["ergs"] {
            named = slugs.prefix(Self.maximumErgs).compactMap { slug in
                if case .text(let text) = slug { StationID(text) } else { nil }
            }
        }
        return Set(named).union(live.ergs.keys).sorted { $0.slug < $1.slug }
    }

    private func write(_ erg: StationID, into json: inout JSONWriter) {
        let messages = live.ergs[erg] ?? [:]
        let (state, info) = (fields(messages[.state]), fields(messages[.info]))
        json.field("erg", erg.slug)
        json.field("availability", messages[.availability].map { unquoted($0.payload) })
        json.field("availability_ms", time(of: messages[.availability]))
        json.field("state", state?.text("state"))
        json.field("state_ms", time(of: messages[.state]))
        json.field("reason", state?.text("reason"))
        json.field("reason_code", state?.text("reason_code"))
        var batteries: JSONObject?
        if case .object(let found)? = health?["erg_battery_pct"] { batteries = found }
        json.field("battery_pct", batteries?.number(erg.slug) ?? info?.number("battery_pct"))
    }

    private func fields(_ message: LiveBoard.Message?) -> JSONObject? {
        message.flatMap { try? JSONObject(parsing: $0.payload) }
    }

    /// The time of a message in Unix milliseconds; nil if unknown.
    private func time(of message: LiveBoard.Message?) -> Int64? {
        message.flatMap { $0.hasTrustedTime ? clock.unixMilliseconds(at: $0.timestamp) : nil }
    }

    /// Returns a JSON string without its quotes.
    private func unquoted(_ payload: [UInt8]) -> String {
        String(decoding: payload.dropFirst().dropLast(), as: UTF8.self)
    }
}
