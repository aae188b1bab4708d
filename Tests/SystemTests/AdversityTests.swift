import Foundation
import TestSupport
import Testing

/// Reports of the daemon about faults in its environment.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct AdversityTests {
    /// Garbage on every notifying characteristic of an erg that rows.
    @Test(.timeLimit(.minutes(30)))
    func ignoresGarbageFromMonitors() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout just-row --speed 4 --link-speed 4".words)
        let gateway = try await room.startGateway(untilStrokes: 2)
        for id in [
            "22", "31", "32", "33", "35", "36", "37", "38", "39", "3a", "3b", "3d", "3e", "3f",
        ] {
            try await room.command(#"{"cmd":"garbage","id":"\#(id)","n":40}"#)
        }
        let before = room.strokeCounts[0]
        #expect(await eventually { room.strokeCounts[0] >= before + 3 }, "strokes go on")
        #expect(gateway.isRunning)
        let status = try await room.status()
        let ergs = status["ergs"] as? [[String: Any]]
        let lines = gateway.lines.filter {
            $0.contains("sends invalid values")
        }
        #expect((1...14).contains(lines.count), "a line per burst: \(lines.count)")
        #expect((ergs?.first?["undecodable_total"] as? Int ?? 0) > 0)
    }

    @Test func namesEveryConfigurationProblem() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("rowgate.toml")
        try """
        [gateway]
        id = "Boat House"
        [broker]
        hots = "localhost"
        [[erg]]
        slug = "one"
        serial = "430000001"
        """.write(toFile: file, atomically: true, encoding: .utf8)
        for arguments in [["--config", file], ["--config", file, "--check-config"]] {
            let process = try ChildProcess(SimulatedRoom.program("rowgate"), arguments)
            #expect(await process.waitForExit() == 78)
            #expect(process.text.contains("\(file):2:"))
            #expect(process.text.contains("\(file):4:"))
            #expect(process.text.contains("host"), "a suggestion: \(process.text)")
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func deliversEverythingToALateBroker() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout just-row --speed 4 --link-speed 4".words,
            brokerRuns: false)
        let gateway = try await room.startGateway()
        let strokes = { room.truth.count { $0["kind"] as? String == "stroke" } }
        try #require(await eventually { strokes() >= 5 }, "\(gateway.text)")
        let degraded = try await room.control(["status"])
        #expect(degraded.status == 1)
        #expect(degraded.text.contains("no connection to the broker"))
        try await room.startBroker(aheadOf: gateway)
        #expect(
            await eventually { room.strokeCounts[0] >= 5 }, "\(gateway.text)")
        let numbers = room.messages(ofKind: "stroke").compactMap { $0.fields["stroke"] as? Int }
        #expect(numbers.first == 1)
        room.expectUniqueRecords()
    }

    /// The bus address names a socket on which no process listens.
    @Test(.timeLimit(.minutes(30)))
    func reportsAMissingBus() async throws {
        let room = try await SimulatedRoom(ergs: 1, simulator: [])
        let gateway = try await room.startGateway(
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"])
        let status = try await room.control(["status"])
        #expect(status.status == 2)
        #expect(status.text.contains("no message bus"))
        #expect(gateway.isRunning)
        #expect(await gateway.terminate() == 0)
        #expect(try await room.control(["status"]).status == 3)
    }

    /// The simulated bluetoothd blocks the adapter as rfkill does. Status and health name the command
    /// that unblocks it.
    @Test(.timeLimit(.minutes(30)))
    func reportsABlockedAdapter() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--link-speed 4 --adapters hci0:7".words)
        try await room.command(#"{"cmd":"block_adapter","hci":"hci0","on":true}"#)
        let gateway = try await room.startGateway()
        func reasons(_ health: ReceivedMessage?) -> String {
            (health?.fields["reasons"] as? [String] ?? []).joined(separator: "\n")
        }
        let isReported = await eventually {
            let health = room.messages(ofKind: "health").last
            return health?.fields["status"] as? String == "failed"
                && reasons(health).contains("rfkill unblock bluetooth")
        }
        #expect(isReported, "\(gateway.text)")
        let failed = try await room.control(["status"])
        #expect(failed.status == 2)
        #expect(failed.text.contains("blocked by rfkill; rfkill unblock bluetooth"))
        try await room.command(#"{"cmd":"block_adapter","hci":"hci0","on":false}"#)
        let isRecovered = await eventually {
            let health = room.messages(ofKind: "health").last
            return health?.fields["status"] as? String == "ok"
                && health?.fields["ergs_online"] as? Int == 1
        }
        #expect(isRecovered, "\(gateway.text)")
        #expect(try await room.control(["status"]).status == 0)
    }

    @Test(.timeLimit(.minutes(30)))
    func reportsOK() async throws {
        let room = try await SimulatedRoom(ergs: 2, simulator: "--link-speed 4".words)
        let gateway = try await room.startGateway()
        let isUp = await eventually {
            let ergs = (try? await room.status())?["ergs"] as? [[String: Any]] ?? []
            return ergs.count == 2
                && ergs.allSatisfy {
                    ($0["link"] as? [String: Any])?["phase"] as? String == "streaming"
                }
        }
        try #require(isUp, "\(gateway.text)")
        let status = try await room.control(["status"])
        #expect(status.status == 0, "\(status.text)")
        #expect(status.text.contains("430000001"))
        #expect(try await room.status()["status"] as? String == "ok")
    }
}
