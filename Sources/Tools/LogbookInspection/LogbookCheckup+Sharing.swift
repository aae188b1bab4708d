import CommandLineText
import Contract
import LogbookStores

/// The owners of gateways' records in a shared store.
extension LogbookCheckup {
    /// Maximum number of gateways to name; the others are counted.
    private static let mostNamed = 8

    static func sharing(_ sharers: [StoreSharer], _ gateways: [GatewayID]) -> [CheckupLine] {
        guard !sharers.isEmpty else { return [] }
        let lines = sharers.map { sharer in
            CheckupLine(
                "sharing", .ok,
                "\(sharer.label) owns \(list(gateways.filter(sharer.shards.contains))); "
                    + "\(sharer.shards.numbers.count) of \(GatewayShards.count) shards")
        }
        let orphans = gateways.filter { gateway in
            !sharers.contains { $0.shards.contains(gateway) }
        }
        guard !orphans.isEmpty else { return lines }
        let warning = CheckupLine(
            "sharing", .warn, "no logbook owns \(list(orphans)) at the moment",
            remedy: "run doctor again in 30 s; if it persists, check each logbook: "
                + "journalctl -u rowgate-logbook -n 20")
        return lines + [warning]
    }

    private static func list(_ gateways: [GatewayID]) -> String {
        guard !gateways.isEmpty else { return "no known gateway" }
        let names = gateways.prefix(mostNamed).map(\.slug).joined(separator: ", ")
        let more = gateways.count - mostNamed
        return more > 0 ? "\(names) and \(more) more" : names
    }
}

extension StoreSharer {
    fileprivate var label: String {
        "the logbook with server process \(process)" + (address.map { " (\($0))" } ?? "")
    }
}
