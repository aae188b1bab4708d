import Bytes
import Contract

/// One gateway in the store: counts of its stored and missing records, and its last status messages.
package struct GatewaySummary: Equatable, Sendable {
    package var gateway: GatewayID
    /// Number of streams with a stored or pending record.
    package var streams = 0
    /// Number of stored records, removed ones included.
    package var stored: UInt64 = 0
    /// Number of records that will be requested when the gateway is connected.
    package var pending: UInt64 = 0
    /// Number of requested records that the gateway no longer had.
    package var gone: UInt64 = 0
    /// Number of records that arrived and were refused.
    package var refused: UInt64 = 0
    /// Refusals by reason, of records with and without a sequence number.
    package var refusals: [RefusalCount] = []
    /// Number of records that the gateway declared lost, without those that it left out on purpose, such as erased
    /// ones.
    package var declared: UInt64 = 0
    package var repeats: UInt64 = 0
    package var conflicts: UInt64 = 0
    /// The last status message of each kind.
    package var statusMessages: [GatewayStatusMessage.Kind: GatewayStatusMessage] = [:]

    package init(_ gateway: GatewayID) { self.gateway = gateway }

    /// All known gateways, ordered by id.
    package static func all(in store: some LogbookStore) throws(StoreFailure) -> [Self] {
        var found: [GatewayID: Self] = [:]
        for account in try StreamSummary.all(in: store) {
            let gateway = account.state.stream.gateway
            found[gateway, default: Self(gateway)].add(account)
        }
        for refusal in try store.refusals() {
            found[refusal.gateway, default: Self(refusal.gateway)].refusals.append(refusal)
        }
        for message in try store.statusMessages() {
            found[message.gateway, default: Self(message.gateway)].statusMessages[message.kind] = message
        }
        return found.values.sorted { $0.gateway < $1.gateway }
    }

    private mutating func add(_ account: StreamSummary) {
        streams += 1
        stored += account.state.extent.received.count
        repeats += account.state.repeats
        conflicts += account.state.conflicts
        for missing in account.missing where missing.isLoss {
            switch missing.cause {
            case .unknown: pending += missing.sequences.length
            case .gone: gone += missing.sequences.length
            case .refused: refused += missing.sequences.length
            case .declared: declared += missing.sequences.length
            }
        }
    }

    /// Number of records that are lost or have not arrived yet.
    package var missing: UInt64 { pending + gone + refused + declared }

    /// Unix milliseconds: the time of its last health message. An `offline` message comes from the broker
    /// instead.
    package var reportedAt: Int64? { statusMessages[.health]?.reportedAt }

    /// The fields of its last message of a kind; nil without one, or if the stored message is damaged.
    package func fields(of kind: GatewayStatusMessage.Kind) -> JSONObject? {
        guard let message = statusMessages[kind] else { return nil }
        do throws(JSONSyntaxError) { return try JSONObject(parsing: message.payload) } catch {
            return nil
        }
    }
}

// MARK: JSON

extension GatewaySummary {
    /// Writes its status messages into an open object.
    package func writeStatus(into json: inout JSONWriter) {
        for kind in [GatewayStatusMessage.Kind.availability, .health] {
            guard let message = statusMessages[kind] else { continue }
            json.key(kind.rawValue)
            json.value(json: message.payload)
        }
        json.field("health_ms", reportedAt)
        let birth = fields(of: .birth)
        json.field("version", birth?.text("version"))
        json.field("epoch", birth?.text("epoch"))
    }

    /// Writes its record counts into an open object.
    package func writeCounts(into json: inout JSONWriter) {
        json.field("streams", streams)
        json.field("stored", stored)
        json.field("missing", missing)
        json.field("owed", pending)
        json.field("gone", gone)
        json.field("refused", refused)
        json.field("declared", declared)
        json.field("repeats", repeats)
        json.field("conflicts", conflicts)
        json.list("refusals", of: refusals) { json, refusal in
            json.field("reason", refusal.reason)
            json.field("count", refusal.times)
            json.field("last_ms", refusal.lastAt)
        }
    }
}

/// The last message of a gateway on one retained topic. No record contains it, and the broker may lose it.
package struct GatewayStatusMessage: Equatable, Sendable {
    /// The retained topic, by its last level.
    package enum Kind: String, CaseIterable, Sendable {
        /// A quoted word, so that the payload is JSON as in the other topics.
        case availability
        case birth
        case health
    }

    package var gateway: GatewayID
    package var kind: Kind
    /// Unix milliseconds: the time of the message, as far as known.
    package var reportedAt: Int64
    /// The published JSON.
    package var payload: [UInt8]

    package init(gateway: GatewayID, kind: Kind, reportedAt: Int64, payload: [UInt8]) {
        (self.gateway, self.kind) = (gateway, kind)
        (self.reportedAt, self.payload) = (reportedAt, payload)
    }
}
