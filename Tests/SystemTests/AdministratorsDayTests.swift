import Foundation
import TestSupport
import Testing

/// An administrator's day at a shell.
///
/// Golden/administrators-day.txt stores commands and output without varying numbers.
/// `ROWGATE_UPDATE_GOLDEN=1` updates it.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct AdministratorsDayTests {
    /// Set-up, inspection, commands, maintenance, a support bundle and a lost broker, in a simulated room
    /// of three ergs, one of which sleeps.
    @Test(.timeLimit(.minutes(30)))
    func transcript() async throws {
        let room = try await Self.room()
        var day = CommandTranscript(
            masks: [
                (room.folder.path, "FOLDER"), ("\(room.broker.port)", "PORT"),
            ],
            environment: [
                "ROWGATE_SOCKET": room.folder.path("control.sock"),
                "DBUS_SYSTEM_BUS_ADDRESS": room.bus.address,
            ])
        try await setUp(&day, in: room)
        let gateway = try await room.startGateway()
        try #require(await Self.areReady(room, ["erg-1", "erg-2"]), "\(gateway.text)")
        try await inspect(&day)
        try await sendCommands(&day, in: room)
        try await maintain(&day)
        await room.broker.stop()
        let isReported = await eventually {
            let reasons = (try? await room.status())?["reasons"] as? [String] ?? []
            return reasons.contains { $0.contains("refused") }
        }
        #expect(isReported, "\(gateway.text)")
        try await loseTheBroker(&day)
        #expect(await gateway.terminate() == 0)
        let text = day.text
        #expect(try text == goldenText("administrators-day.txt", for: text), "\(text)")
    }

    private static func room() async throws -> SimulatedRoom {
        let room = try await SimulatedRoom(
            ergs: 3,
            simulator: "--adapters hci0:7 --workout wait --speed 4 --link-speed 8 --seed 42".words,
            gateway: "boathouse")
        try await room.command(#"{"cmd":"advertise","on":false,"pm":3}"#)
        try room.configure("")
        return room
    }

    /// Returns whether the ergs are ready and their heart rate and battery are known.
    private static func areReady(_ room: SimulatedRoom, _ ergs: Set<String>) async -> Bool {
        await eventually {
            let status = (try? await room.status())?["ergs"] as? [[String: Any]] ?? []
            let ready = status.filter {
                $0["state"] as? String == "ready" && $0["heart_rate_bpm"] is Int
                    && $0["battery_pct"] is Int
            }
            return ergs.isSubset(of: ready.compactMap { $0["slug"] as? String })
        }
    }

    private func setUp(_ day: inout CommandTranscript, in room: SimulatedRoom) async throws {
        day.remark("Which versions are these?")
        for program in ["rowgate", "rowgatectl", "pm5sim"] {
            try await day.run([program, "--version"]) {
                $0.replacing(/^\d+\.\d+\.\d+ \([^)]+\)/, with: "VERSION (ORIGIN)")
            }
        }
        day.remark("Is the configuration right, and what does it come to?")
        let file = ["--config", "FOLDER/rowgate.toml"]
        try await day.run(["rowgate", "--check-config"] + file)
        try await day.run(["rowgate", "--print-config"] + file)
    }

    private func inspect(_ day: inout CommandTranscript) async throws {
        day.remark("How is the room?")
        try await day.run(["rowgatectl", "status"], hiding: Self.maskValues)
        try await day.run(["rowgatectl", "status", "erg-1"], hiding: Self.maskValues)
        try await day.run(["rowgatectl", "status", "erg-3"])
        try await day.run(["rowgatectl", "status", "erg-9"])
        try await day.run(
            ["rowgatectl", "watch", "--footer", "Ring the bell at six."], upTo: "\nboathouse",
            hiding: Self.maskValues)
        try await day.run(["rowgatectl", "scan"]) { text in
            // The scan sorts by signal strength, which varies.
            let rows = text.replacing(/-\d+ dBm/, with: "-N dBm").components(separatedBy: "\n")
            return (rows.prefix(1) + rows[1...2].sorted() + rows.dropFirst(3))
                .joined(separator: "\n")
        }
        try await day.run(["rowgatectl", "identify", "all"])
    }

    private func sendCommands(_ day: inout CommandTranscript, in room: SimulatedRoom) async throws {
        day.remark("Who sits where, and what do they row?")
        try await day.run(["rowgatectl", "assign", "erg-1", "a-17"])
        try await day.run(["rowgatectl", "assign", "erg-2", "a-4", "--until-session-end"])
        try await day.run(["rowgatectl", "assign", "erg-2", "Ann,Lee"])
        try await day.run(["rowgatectl", "assign", "erg-2"])
        try await day.run(["rowgatectl", "workout", "erg-9", "2000m"])
        try await day.run(["rowgatectl", "workout", "all", "4x500m/1:00r", "--target", "2:00"])
        #expect(
            await eventually {
                room.strokeCounts.prefix(2).allSatisfy { $0 >= 2 }
            })
        try await day.run(["rowgatectl", "workout", "erg-1", "just-row"])
        try await day.run(["rowgatectl", "release", "erg-1"])
        try await day.run(["rowgatectl", "terminate", "erg-1", "--json"]) {
            $0.replacing(/("(boot_id|boot_ms|time|ts_ms|request_id|clock)" : )[^,\n]+/) {
                "\($0.output.1)..."
            }
        }
        #expect(await eventually { room.messages(ofKind: "manifest", of: "erg-1").count == 1 })
        day.remark("A phone app wants erg-1, and then it does not.")
        try await day.run(["rowgatectl", "release", "erg-1", "--for", "20"])
        let isFree = await eventually {
            guard let link = try? await room.link(of: "erg-1") else { return false }
            return link["phase"] as? String == "released" && link["adapter"] == nil
        }
        #expect(isFree)
        try await day.run(["rowgatectl", "status", "erg-1"]) {
            $0.replacing(/\d+ min left/, with: "N min left").replacing(/-\d+ dBm/, with: "-N dBm")
        }
        try await day.run(["rowgatectl", "release", "erg-1", "--take-back"])
        day.remark("Somebody wants to be forgotten.")
        try await day.run(["rowgatectl", "athlete", "forget", "a-17", "--yes"]) {
            $0.replacing(/^\d+ records/, with: "N records")
        }
    }

    private func maintain(_ day: inout CommandTranscript) async throws {
        day.remark("What is on the disk, and what does a monitoring system get?")
        let ring = ["--ring", "FOLDER/ring.log"]
        try await day.run(["rowgatectl", "log", "verify"] + ring, hiding: Self.maskValues)
        try await day.run(["rowgatectl", "log", "tail", "--session", "none"] + ring)
        try await day.run(["rowgatectl", "log", "export", "--raw", "--erg", "erg-3"] + ring)
        try await day.run(["rowgatectl", "log", "export", "--raw", "--session", "none"] + ring)
        try await day.run(["rowgatectl", "metrics", "--textfile", "FOLDER/rowgate.prom"])
        try await day.run(["rowgatectl", "metrics"]) { page in
            page.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
                .joined(separator: "\n") + "\n"
        }
        day.remark("Somebody far away wants to help.")
        try await day.run(
            [
                "rowgatectl", "support-bundle", "--config", "FOLDER/rowgate.toml", "--output",
                "FOLDER/bundle.tar",
            ], hiding: Self.maskValues)
    }

    private func loseTheBroker(_ day: inout CommandTranscript) async throws {
        day.remark("Somebody trips over the broker's cable.")
        try await day.run(["rowgatectl", "status"]) { text in
            Self.maskValues(text.components(separatedBy: "\nERG")[0])
        }
        try await day.run(
            ["rowgatectl", "prove", "--host", "127.0.0.1", "--port", "PORT", "--for", "5"])
    }

    private static func maskValues(_ output: String) -> String {
        output.replacing(/[0-9A-HJKMNP-TV-Z]{26}/, with: "ULID")
            .replacing(/([0-9A-F]{2}:){5}[0-9A-F]{2}/, with: "ADDRESS")
            .replacing(/rowgate \d+\.\d+\.\d+/, with: "rowgate VERSION")
            .replacing(/clock (not )?synchronised/, with: "clock ...").withoutNumbers
    }
}
