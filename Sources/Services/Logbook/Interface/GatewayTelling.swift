import Bytes
import Contract
import LogbookStores
import Timeline

/// One gateway as it is told over HTTP: what the room has heard of it, and beside that, or in its place
/// where the room has heard nothing, what the store knows.
struct GatewayTelling {
    /// Ergs of one gateway: as many as a room has.
    private static let mostErgs = LiveBoard.Limits().ergs

    private var account: GatewayAccount
    private let heard: HeardGateway
    private let clock: WallClock
    private let presence: HeardGateway.Presence
    private let hasStore: Bool
    private let birth: JSONObject?
    private let health: JSONObject?

    init(
        _ account: GatewayAccount, _ heard: HeardGateway, at now: BootInstant, _ clock: WallClock,
        hearsBroker: Bool = true, hasStore: Bool
    ) {
        var account = account
        for word in heard.words(of: account.gateway, clock) { account.words[word.kind] = word }
        (birth, health) = (account.fields(of: .birth), account.fields(of: .health))
        (self.account, self.heard) = (account, heard)
        (self.clock, self.hasStore) = (clock, hasStore)
        presence = heard.presence(at: now, hearsBroker: hearsBroker)
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter) {
        json.field("gw", account.gateway.slug)
        json.field("presence", presence.rawValue)
        let heardAt = [heard.heard.map(clock.unixMilliseconds(at:)), account.heardAt]
        json.field("heard_ms", heardAt.compactMap(\.self).max())
        account.writeWords(into: &json)
        json.list("ergs", of: ergs) { write($1, into: &$0) }
        if hasStore { account.writeCounts(into: &json) }
    }

    /// Those that were heard, and those that it names and nobody has heard.
    private var ergs: [StationID] {
        var named: [StationID] = []
        if case .list(let slugs)? = birth?["ergs"] {
            named = slugs.prefix(Self.mostErgs).compactMap { slug in
                if case .text(let text) = slug { StationID(text) } else { nil }
            }
        }
        return Set(named).union(heard.ergs.keys).sorted { $0.slug < $1.slug }
    }

    private func write(_ erg: StationID, into json: inout JSONWriter) {
        let messages = heard.ergs[erg] ?? [:]
        let (state, info) = (fields(messages[.state]), fields(messages[.info]))
        json.field("erg", erg.slug)
        json.field("availability", messages[.availability].map { word(of: $0.payload) })
        json.field("availability_ms", time(of: messages[.availability]))
        json.field("state", state?.text("state"))
        json.field("state_ms", time(of: messages[.state]))
        json.field("reason", state?.text("reason"))
        var batteries: JSONObject?
        if case .object(let found)? = health?["erg_battery_pct"] { batteries = found }
        json.field("battery_pct", batteries?.number(erg.slug) ?? info?.number("battery_pct"))
    }

    private func fields(_ message: LiveBoard.Message?) -> JSONObject? {
        message.flatMap { try? JSONObject(parsing: $0.payload) }
    }

    /// Unix milliseconds; nil where nobody knows.
    private func time(of message: LiveBoard.Message?) -> Int64? {
        message.flatMap { $0.isDated ? clock.unixMilliseconds(at: $0.since) : nil }
    }

    /// Without its quotes.
    private func word(of payload: [UInt8]) -> String {
        String(decoding: payload.dropFirst().dropLast(), as: UTF8.self)
    }
}
