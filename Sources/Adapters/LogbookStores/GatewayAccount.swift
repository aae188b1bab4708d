import Bytes
import Contract

/// One gateway, as the store knows it: what is here of it, what it owes, and what it last said.
package struct GatewayAccount: Equatable, Sendable {
    package var gateway: GatewayID
    /// Those of which a record is here or owed.
    package var streams = 0
    /// Numbers whose records were stored.
    package var stored: UInt64 = 0
    /// Numbers that are asked for when the gateway is there.
    package var owed: UInt64 = 0
    /// Numbers that the gateway, asked for them, no longer had.
    package var gone: UInt64 = 0
    /// Numbers whose records came and were refused.
    package var refused: UInt64 = 0
    /// Why records were refused, and how often; of those that had a number and of others.
    package var refusals: [RefusalCount] = []
    /// Numbers that the gateway declared lost by itself.
    package var declared: UInt64 = 0
    package var repeats: UInt64 = 0
    package var conflicts: UInt64 = 0
    /// The last of each kind.
    package var words: [GatewayWord.Kind: GatewayWord] = [:]

    package init(_ gateway: GatewayID) { self.gateway = gateway }

    /// Every gateway of which the store knows anything, by id.
    package static func all(in store: some LogbookStore) throws(StoreFailure) -> [Self] {
        var found: [GatewayID: Self] = [:]
        for account in try StreamAccount.all(in: store) {
            let gateway = account.state.stream.gateway
            found[gateway, default: Self(gateway)].add(account)
        }
        for refusal in try store.refusals() {
            found[refusal.gateway, default: Self(refusal.gateway)].refusals.append(refusal)
        }
        for word in try store.words() {
            found[word.gateway, default: Self(word.gateway)].words[word.kind] = word
        }
        return found.values.sorted { $0.gateway < $1.gateway }
    }

    private mutating func add(_ account: StreamAccount) {
        streams += 1
        stored += account.state.extent.received.count
        repeats += account.state.repeats
        conflicts += account.state.conflicts
        for missing in account.missing where missing.isLoss {
            switch missing.cause {
            case .unknown: owed += missing.sequences.length
            case .gone: gone += missing.sequences.length
            case .refused: refused += missing.sequences.length
            case .declared: declared += missing.sequences.length
            }
        }
    }

    /// Records that are nowhere, or have not come yet.
    package var missing: UInt64 { owed + gone + refused + declared }

    /// Unix milliseconds: when it last said how it is. That it is `offline` the broker says.
    package var heardAt: Int64? { words[.health]?.heardAt }

    /// The fields of what it last said; nil where it has not, or where a disk has spoiled it.
    package func fields(of kind: GatewayWord.Kind) -> JSONObject? {
        guard let word = words[kind] else { return nil }
        do throws(JSONSyntaxError) { return try JSONObject(parsing: word.payload) } catch {
            return nil
        }
    }
}

// MARK: For programs

extension GatewayAccount {
    /// What it said, in an object that is open.
    package func writeWords(into json: inout JSONWriter) {
        for kind in [GatewayWord.Kind.availability, .health] {
            guard let word = words[kind] else { continue }
            json.key(kind.rawValue)
            json.value(json: word.payload)
        }
        json.field("health_ms", heardAt)
        let birth = fields(of: .birth)
        json.field("version", birth?.text("version"))
        json.field("epoch", birth?.text("epoch"))
    }

    /// What is here of it, in an object that is open.
    package func writeCounts(into json: inout JSONWriter) {
        json.field("streams", streams)
        json.field("stored", stored)
        json.field("missing", missing)
        json.field("owed", owed)
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
