import Bytes
import Contract

/// A set of shards of the gateways, for several logbooks that share a store.
///
/// Each gateway belongs to one of a fixed number of shards, by its id. Each logbook owns whole shards,
/// agreed through the store, so no lists of gateways need to be configured.
package struct GatewayShards: Equatable, Sendable {
    /// Number of shards, and maximum number of logbooks that own one.
    package static let count = 16
    package static let all = GatewayShards(Set(0..<count))
    package static let none = GatewayShards([])

    /// Shard numbers, 0 ..< `count`.
    package var numbers: Set<Int>

    package init(_ numbers: Set<Int>) { self.numbers = numbers }

    package func contains(_ gateway: GatewayID) -> Bool {
        numbers.count == Self.count || numbers.contains(Self.shard(of: gateway))
    }

    /// Whether it contains the first shard. The owner of the first shard publishes the logbook's notices
    /// and removes old records.
    package var isFirst: Bool { numbers.contains(0) }

    /// FNV-1a of the id, so that every version and every machine computes the same shard.
    static func shard(of gateway: GatewayID) -> Int {
        let hash = gateway.slug.utf8.reduce(0x811c_9dc5 as UInt32) {
            ($0 ^ UInt32($1)) &* 0x0100_0193
        }
        return Int(hash) % count
    }
}

/// One logbook's share of a store that several logbooks use.
package struct StoreShare: Equatable, Sendable {
    /// Only this logbook stores records of these gateways.
    package var shards: GatewayShards
    /// Shards acquired since the last call; other logbooks may have stored records of them.
    package var acquired: GatewayShards
    /// Number of logbooks that share the store, this one included.
    package var logbooks: Int
}

/// One of the logbooks that share a store, as seen by a reader.
package struct StoreSharer: Equatable, Sendable {
    /// Its process at the database server; this is not its own process id.
    package var process: Int
    /// Its client address; nil for the server's own machine, or if the server hides it.
    package var address: String?
    /// The shards that it owns.
    package var shards: GatewayShards

    package init(process: Int, address: String?, shards: GatewayShards) {
        (self.process, self.address, self.shards) = (process, address, shards)
    }
}

extension StoreSharer {
    /// Writes its members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("process", process)
        json.field("address", address)
        json.key("parts")
        json.beginArray()
        for number in shards.numbers.sorted() { json.value(number) }
        json.endArray()
    }
}

extension StoreBatch {
    /// The part of the batch about these gateways, with all of the logbook's own notices.
    func limited(to shards: GatewayShards) -> StoreBatch {
        if shards == .all { return self }
        var batch = self
        batch.records = records.filter { shards.contains($0.stream.gateway) }
        batch.notes = notes.filter { shards.contains($0.key.gateway) }
        batch.states = states.filter { shards.contains($0.key.gateway) }
        batch.refusals = batch.refusals.filter { shards.contains($0.gateway) }
        batch.statusMessages = statusMessages.filter { shards.contains($0.gateway) }
        return batch
    }
}
