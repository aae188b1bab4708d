import Bytes
import LogbookStores
import WebServer

/// How the logbook itself is: its broker, its store, and what it refused since its start. Names nobody, so
/// that `/api/v1/health` needs no token.
struct LogbookHealth: Sendable {
    /// A store whose file was taken away is worth a look for so many milliseconds.
    private static let attention: Int64 = 86_400_000

    /// Unix milliseconds.
    let now: Int64
    let isConnected: Bool
    /// Since when the connection is as it is, in Unix milliseconds.
    let connectionSince: Int64
    /// nil where no records are stored.
    let store: StoreCondition?
    /// Messages that were refused, by reason.
    let refused: [String: UInt64]

    init(_ room: LiveRoom, _ keeper: RecordKeeper?) {
        let (present, broker) = (room.present, room.broker)
        now = present.clock.unixMilliseconds(at: present.now)
        isConnected = broker.isConnected
        connectionSince = present.clock.unixMilliseconds(at: broker.since)
        store = keeper?.condition
        var refused: [String: UInt64] = [:]
        for (reason, count) in keeper?.refused ?? [:] {
            refused[reason.reason, default: 0] += count
        }
        for (_, count) in room.refused { refused["not_shown", default: 0] += count }
        self.refused = refused
    }

    /// `failed` while no record can be stored, `degraded` while somebody should look, else `ok`.
    var status: String {
        if store?.failure != nil { return "failed" }
        if let replaced = store?.replacedAt, now - replaced < Self.attention { return "degraded" }
        return isConnected ? "ok" : "degraded"
    }

    var answer: WebAnswer {
        RecordAnswers.json { json in
            json.field("status", status)
            writeBroker(into: &json)
            writeStore(into: &json)
        }
    }

    /// When this is, and how the connection to the broker is.
    func writeBroker(into json: inout JSONWriter) {
        json.field("sent_ms", now)
        json.field("broker_connected", isConnected)
        json.field("broker_ms", connectionSince)
    }

    /// The store, and what was refused.
    func writeStore(into json: inout JSONWriter) {
        json.field("refused", refused.values.reduce(0, +))
        json.list("refusals", of: refused.sorted { $0.key < $1.key }) { json, refusal in
            json.field("reason", refusal.key)
            json.field("count", refusal.value)
        }
        guard let store else { return }
        json.key("store")
        json.beginObject()
        json.field("state", store.failure == nil ? "ok" : "failing")
        json.field("reason", store.failure?.kind.rawValue)
        json.field("since_ms", store.failure?.since)
        json.field("waiting", store.waiting)
        json.field("replaced", store.replacement?.rawValue)
        json.field("replaced_ms", store.replacedAt)
        json.endObject()
    }
}
