import Foundation
import TestSupport
import Testing

/// Other clients publish thousands of messages on topics that the gateway subscribes to.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct FloodTests {
    private static let count = 5_000

    /// Sends 5,000 messages of each sort at full speed: `online` of Home Assistant, `offline` on the
    /// gateway's availability topic, requests without a response topic, and oversized messages. Memory,
    /// log lines and publications must stay bounded.
    @Test(.timeLimit(.minutes(30)))
    func limitsTheEffectOfFloods() async throws {
        let room = try await SimulatedRoom(
            ergs: 4, simulator: "--workout just-row --link-speed 4 --seed 4".words)
        let gateway = try await room.startGateway(untilStrokes: 2)
        let before = try room.residentKilobytes(of: gateway)
        let lines = gateway.lines.count

        try await flood(room, "homeassistant/status", "online")
        let retained = room.messages(ofKind: "info", of: "erg-1").count
        #expect(retained < 30, "\(retained) times")
        try await flood(room, "rowgate/v1/test/availability", "offline")
        let isOnline = await eventually {
            room.messages.last { $0.kind == "availability" && $0.erg == nil }?.payload == "online"
        }
        #expect(isOnline)
        let corrections = room.messages(ofKind: "availability")
            .count { $0.payload == "online" && $0.erg == nil }
        #expect(corrections < 60, "\(corrections) times")
        try await flood(room, "rowgate/v1/test/cmd/ping", #"{"request_id":"p-1"}"#)
        try await flood(room, "rowgate/v1/test/cmd/replay", #"{"request_id":1}"#)
        let oversized = String(repeating: "x", count: 100_000)
        try await flood(room, "rowgate/v1/test/cmd/ping", oversized, count: 200)

        let diag = try await room.reply("cmd/diag", #"{"request_id":"after"}"#)
        #expect(diag["code"] as? String == "done")
        let grown = try room.residentKilobytes(of: gateway) - before
        let newLines = gateway.lines.count - lines
        print("flood: \(grown) kB, \(newLines) lines, \(retained) and \(corrections) publications")
        #expect(grown < 8 * 1024, "\(grown) kB")
        #expect(newLines < 200, "\(gateway.text)")
        #expect(await gateway.terminate() == 0)
    }

    private func flood(
        _ room: SimulatedRoom, _ topic: String, _ line: String, count: Int = count
    ) async throws {
        let file = room.folder.path("flood")
        try Array(repeating: line + "\n", count: count).joined()
            .write(toFile: file, atomically: true, encoding: .utf8)
        let publisher = try ChildProcess(
            "mosquitto_pub",
            [
                "-V", "5", "-h", "127.0.0.1", "-p", "\(room.broker.port)", "-q", "1", "-t", topic,
                "-l",
            ], input: FileHandle(forReadingAtPath: file))
        #expect(await publisher.waitForExit() == 0, "\(publisher.text)")
    }
}

extension SimulatedRoom {
    /// Returns the anonymous resident memory of the daemon and its connection process in kB.
    fileprivate func residentKilobytes(of gateway: ChildProcess) throws -> Int {
        let tasks = "/proc/\(gateway.identifier)/task"
        let children = try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap {
            let text = try? String(contentsOfFile: "\(tasks)/\($0)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").compactMap { Int32($0) }
        }
        return try ([gateway.identifier] + children)
            .map { process in
                let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
                let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
                return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
            }
            .reduce(0, +)
    }
}
