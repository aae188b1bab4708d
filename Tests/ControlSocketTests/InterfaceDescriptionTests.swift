import Foundation
import TestSupport
import Testing

@testable import ControlSocket

@Suite struct InterfaceDescriptionTests {
    @Test(arguments: [
        ("Gateway", "gateway"), ("Bus", "bus"), ("Adapter", "adapters"), ("Broker", "broker"),
        ("Ring", "ring"), ("Erg", "ergs"), ("Link", "link"), ("Alert", "alerts"),
    ])
    func typesListTheEncodedKeys(type: String, key: String) throws {
        let json = try #require(
            try JSONSerialization.jsonObject(
                with: Data(JSONCoding.encode(StatusReply.sample))) as? [String: Any])
        let objects: [[String: Any]] =
            key == "link"
            ? (json["ergs"] as? [[String: Any]] ?? []).compactMap { $0["link"] as? [String: Any] }
            : key == "alerts"
                ? ((json["ergs"] as? [[String: Any]] ?? [])
                    + [json["gateway"] as? [String: Any] ?? [:]]).flatMap {
                        $0["alerts"] as? [[String: Any]] ?? []
                    }
                : (json[key] as? [[String: Any]]) ?? (json[key] as? [String: Any]).map { [$0] }
                    ?? []
        let sent = Set(objects.flatMap(\.keys))
        let (fields, optional) = try fields(of: "type \(type) (")
        #expect(fields == sent)
        for object in objects {
            #expect(fields.subtracting(optional).isSubset(of: object.keys))
        }
    }

    @Test(arguments: ["method Status(erg: ?string) -> (", "method Watch(interval_ms: ?int) -> ("])
    func repliesListTheEncodedKeys(method: String) throws {
        let json = try #require(
            try JSONSerialization.jsonObject(
                with: Data(JSONCoding.encode(StatusReply.sample))) as? [String: Any])
        #expect(try fields(of: method).all == Set(json.keys))
    }

    @Test func scanListsTheEncodedKeys() throws {
        let monitor = ScanReply.Monitor(
            serial: "430000001", erg: "erg-1", phase: .streaming, adapter: "hci0", rssiDBm: -61)
        let json = try #require(
            try JSONSerialization.jsonObject(
                with: Data(
                    JSONCoding.encode(ScanReply(isScanning: true, monitors: [monitor]))))
                as? [String: Any])
        #expect(try fields(of: "method Scan() -> (").all == Set(json.keys))
        let monitors = try #require(json["monitors"] as? [[String: Any]])
        #expect(try fields(of: "type Monitor (").all == Set(monitors.flatMap(\.keys)))
    }

    @Test func workoutsListTheEncodedKeys() throws {
        let json = try #require(
            try JSONSerialization.jsonObject(
                with: Data(
                    JSONCoding.encode(
                        WorkoutsReply(workouts: [.init(name: "2k", row: "2000m")]))))
                as? [String: Any])
        #expect(try fields(of: "method Workouts() -> (").all == Set(json.keys))
        let workouts = try #require(json["workouts"] as? [[String: Any]])
        #expect(try fields(of: "type Workout (").all == Set(workouts.flatMap(\.keys)))
    }

    @Test func listsAllLinkPhases() {
        let phases = StatusReply.LinkPhase.allCases.map(\.rawValue).joined(separator: ", ")
        #expect(RowgateInterface.description.contains("phase: (\(phases)),"))
    }

    /// Field names between `opening` and its closing line.
    private func fields(of opening: String) throws -> (all: Set<String>, optional: Set<String>) {
        let lines = RowgateInterface.description.split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex(of: opening))
        let body = lines[(start + 1)...].prefix { $0 != ")" }.filter { !$0.hasPrefix("  #") }
        let pairs = body.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].trimmingCharacters(in: .whitespaces), parts[1].hasPrefix(" ?"))
        }
        return (Set(pairs.map(\.0)), Set(pairs.filter(\.1).map(\.0)))
    }
}
