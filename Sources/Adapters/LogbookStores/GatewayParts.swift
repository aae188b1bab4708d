import Bytes
import Contract

/// The gateways whose records one logbook keeps, where several logbooks share a store.
///
/// Gateways are dealt out over a fixed number of parts by their ids, and a logbook has whole parts: who
/// has which is agreed in the store, and nobody has to write lists of gateways.
package struct GatewayParts: Equatable, Sendable {
    /// More logbooks than this share nothing.
    package static let count = 16
    package static let all = GatewayParts(Set(0..<count))
    package static let none = GatewayParts([])

    /// 0 ..< `count`.
    package var numbers: Set<Int>

    package init(_ numbers: Set<Int>) { self.numbers = numbers }

    package func contains(_ gateway: GatewayID) -> Bool {
        numbers.count == Self.count || numbers.contains(Self.part(of: gateway))
    }

    /// Whether this is who publishes what the logbooks have to say, and removes what is old: the one that
    /// has the first part.
    package var isFirst: Bool { numbers.contains(0) }

    /// FNV-1a of its id, so that every version and every machine agrees.
    static func part(of gateway: GatewayID) -> Int {
        let hash = gateway.slug.utf8.reduce(0x811c_9dc5 as UInt32) {
            ($0 ^ UInt32($1)) &* 0x0100_0193
        }
        return Int(hash) % count
    }
}

/// A logbook's part of a store that several share.
package struct StoreShare: Equatable, Sendable {
    /// Of these gateways this logbook keeps the records, and nobody else does.
    package var parts: GatewayParts
    /// Those of them that it got since it was last told: others have stored records of them.
    package var taken: GatewayParts
    /// How many logbooks share the store, this one included.
    package var logbooks: Int
}

/// One of the logbooks that share a store, for somebody who only looks.
package struct StoreSharer: Equatable, Sendable {
    /// Its process at the database's server, which is not its own.
    package var process: Int
    /// From where it is connected; nil for the server's own machine, or where the server does not say.
    package var address: String?
    /// Of these gateways it keeps the records.
    package var parts: GatewayParts

    package init(process: Int, address: String?, parts: GatewayParts) {
        (self.process, self.address, self.parts) = (process, address, parts)
    }
}

extension StoreSharer {
    /// Who it is and what it keeps, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.field("process", process)
        json.field("address", address)
        json.key("parts")
        json.beginArray()
        for number in parts.numbers.sorted() { json.value(number) }
        json.endArray()
    }
}

extension StoreBatch {
    /// What of it is about these gateways. What the logbook says by itself is everybody's.
    func limited(to parts: GatewayParts) -> StoreBatch {
        if parts == .all { return self }
        var batch = self
        batch.records = records.filter { parts.contains($0.stream.gateway) }
        batch.notes = notes.filter { parts.contains($0.key.gateway) }
        batch.states = states.filter { parts.contains($0.key.gateway) }
        batch.refusals = batch.refusals.filter { parts.contains($0.gateway) }
        batch.words = words.filter { parts.contains($0.gateway) }
        return batch
    }
}
