import Bytes
import LogbookStores
import WebServer

/// The health of the logbook: its broker, its store and the messages rejected since its start. Contains no
/// personal data, so that `/api/v1/health` needs no token.
struct LogbookHealth: Sendable {
    /// How long the health is `degraded` after the store file was replaced, in milliseconds.
    private static let replacementWarning: Int64 = 86_400_000

    /// Unix milliseconds.
    let now: Int64
    let isConnected: Bool
    /// The time of the last connect or disconnect, in Unix milliseconds.
    let connectionSince: Int64
    /// nil if no records are stored.
    let store: StoreCondition?
    /// The number of rejected messages by reason.
    let refused: [String: UInt64]

    init(_ room: LiveRoom, _ ingester: RecordIngester?) {
        let (present, broker) = (room.currentTime, room.broker)
        now = present.clock.unixMilliseconds(at: present.now)
        isConnected = broker.isConnected
        connectionSince = present.clock.unixMilliseconds(at: broker.since)
        store = ingester?.condition
        var refused: [String: UInt64] = [:]
        for (reason, count) in ingester?.refused ?? [:] {
            refused[reason.reason, default: 0] += count
        }
        for (_, count) in room.refused { refused["not_shown", default: 0] += count }
        self.refused = refused
    }

    /// `failed` if no record can be stored, `degraded` if it needs attention, otherwise `ok`.
    var status: String {
        if store?.failure != nil { return "failed" }
        if let replaced = store?.replacedAt, now - replaced < Self.replacementWarning {
            return "degraded"
        }
        return isConnected ? "ok" : "degraded"
    }

    var answer: WebAnswer {
        RecordRequestHandler.json { json in
            json.field("status", status)
            writeBroker(into: &json)
            writeStore(into: &json)
        }
    }

    /// Writes the current time and the state of the connection to the broker.
    func writeBroker(into json: inout JSONWriter) {
        json.field("sent_ms", now)
        json.field("broker_connected", isConnected)
        json.field("broker_ms", connectionSince)
    }

    /// Writes the rejected messages and the state of the store.
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
