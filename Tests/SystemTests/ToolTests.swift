import Foundation
import TestSupport
import Testing

/// Tools of `rowgatectl` with the real daemon in a simulated room.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct ToolTests {
    /// Two ergs, one of them configured. Runs scan, metrics, doctor and support-bundle, then doctor with
    /// a blocked adapter, then some tools without the daemon.
    @Test(.timeLimit(.minutes(30)))
    func toolsMatchTheRoom() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--ergs 2 --link-speed 4 --speed 4".words)
        let gateway = try await room.startGateway(untilStrokes: 1)

        let scan = try await json(room, ["scan", "--json"])
        let monitors = try #require(scan["monitors"] as? [[String: Any]])
        #expect(Set(monitors.compactMap { $0["serial"] as? String }) == ["430000001", "430000002"])
        #expect(monitors.compactMap { $0["erg"] as? String } == ["erg-1"])

        let page = room.folder.path("rowgate.prom")
        #expect(try await room.control(["metrics", "--textfile", page]).status == 0)
        let metrics = try String(contentsOfFile: page, encoding: .utf8)
        #expect(metrics.contains("\nrowgate_erg_connected{erg=\"erg-1\"} 1\n"))

        let subject = ["--config", room.folder.path("rowgate.toml")]
        let doctor = try await json(room, ["doctor", "--json"] + subject)
        let findings = try #require(doctor["findings"] as? [[String: Any]])
        for check in ["configuration", "bluetoothd", "adapter", "broker", "access list"] {
            let levels = findings.filter { $0["check"] as? String == check }
                .compactMap { $0["level"] as? String }
            #expect(!levels.isEmpty && levels.allSatisfy { $0 == "ok" }, "\(check): \(findings)")
        }

        // Blocks the adapter without the link.
        let linked = try #require(
            try await room.link(of: "erg-1")["adapter"] as? String, "erg-1 is linked")
        let other = linked == "hci0" ? "hci1" : "hci0"
        try await room.command(#"{"cmd":"block_adapter","hci":"\#(other)","on":true}"#)
        let isBlocked = await eventually {
            let report = try? await json(room, ["doctor", "--json"] + subject)
            let findings = report?["findings"] as? [[String: Any]] ?? []
            return findings.contains {
                $0["check"] as? String == "adapter" && $0["level"] as? String == "warn"
                    && ($0["text"] as? String)?.hasPrefix(other) == true
                    && $0["remedy"] as? String == "sudo rfkill unblock bluetooth"
            }
        }
        #expect(isBlocked)

        let archive = room.folder.path("bundle.tar")
        let bundle = try await room.control(["support-bundle", "--output", archive] + subject)
        #expect(bundle.status == 0)
        #expect(bundle.text.contains("rowgate-support/status.json"))
        let tar = try ChildProcess("tar", ["-xOf", archive])
        #expect(await tar.waitForExit() == 0)
        #expect(await eventually { tar.text.contains("client_id = \"(removed)\"") }, "\(tar.text)")
        #expect(await eventually { tar.text.contains("[[erg]]") })

        gateway.signal(SIGTERM)
        await gateway.waitForExit()
        #expect(try await room.control(["scan"]).status == 3)
        #expect(try await room.control(["metrics", "--textfile", page]).status == 3)
        #expect(try String(contentsOfFile: page, encoding: .utf8).hasSuffix("rowgate_up 0\n"))
    }

    private func json(_ room: SimulatedRoom, _ arguments: [String]) async throws -> [String: Any] {
        let (process, _) = try await ChildProcess.retryingTimeouts {
            try ChildProcess(
                SimulatedRoom.program("rowgatectl"), arguments,
                environment: [
                    "ROWGATE_SOCKET": room.folder.path("control.sock"),
                    "DBUS_SYSTEM_BUS_ADDRESS": room.bus.address,
                ])
        }
        // The output can arrive after the exit.
        var object: Any?
        _ = await eventually {
            object = try? JSONSerialization.jsonObject(with: Data(process.text.utf8))
            return object != nil
        }
        return try #require(object as? [String: Any], "\(process.text)")
    }
}
