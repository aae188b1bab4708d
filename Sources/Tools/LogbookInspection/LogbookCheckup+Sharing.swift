import CommandLineText
import Contract
import LogbookStores

/// Who keeps the records of which gateways, where several logbooks share a store.
extension LogbookCheckup {
    /// So many gateways are named; of the others it is said how many they are.
    private static let mostNamed = 8

    static func sharing(_ sharers: [StoreSharer], _ gateways: [GatewayID]) -> [CheckupLine] {
        guard !sharers.isEmpty else { return [] }
        let lines = sharers.map { sharer in
            CheckupLine(
                "sharing", .ok,
                "\(sharer.words) keeps \(list(gateways.filter(sharer.parts.contains))); "
                    + "\(sharer.parts.numbers.count) of \(GatewayParts.count) parts")
        }
        let orphans = gateways.filter { gateway in
            !sharers.contains { $0.parts.contains(gateway) }
        }
        guard !orphans.isEmpty else { return lines }
        let warning = CheckupLine(
            "sharing", .warn, "no logbook keeps \(list(orphans)) at this moment",
            remedy: "ask again in half a minute; if it stays so, see where they run: "
                + "journalctl -u rowgate-logbook -n 20")
        return lines + [warning]
    }

    private static func list(_ gateways: [GatewayID]) -> String {
        guard !gateways.isEmpty else { return "no gateway that is known" }
        let names = gateways.prefix(mostNamed).map(\.slug).joined(separator: ", ")
        let more = gateways.count - mostNamed
        return more > 0 ? "\(names) and \(more) more" : names
    }
}

extension StoreSharer {
    fileprivate var words: String {
        "the logbook of the server's process \(process)" + (address.map { ", from \($0)," } ?? "")
    }
}
