import Foundation
import TestSupport
import Testing

/// A gateway that takes its athletes from a logbook, at a mosquitto with the shipped access list.
@Suite(.enabled(if: InstalledPrograms.areAllowed), .timeLimit(.minutes(5)))
struct LogbookRosterTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private let folder: TemporaryFolder
    private let broker: PrivateBroker
    private let bus: PrivateBus

    init() async throws {
        folder = try TemporaryFolder()
        bus = try await PrivateBus()
        let passwords = try await PrivateBroker.passwordFile(
            ["boathouse": "secret", "coach": "secret", "dashboard": "secret"], in: folder)
        broker = try await PrivateBroker.running(options: [
            "allow_anonymous false", "password_file \(passwords)",
            "acl_file \(Self.root.path)/config/examples/mosquitto.acl",
        ])
        func section(_ user: String) -> String {
            "[broker]\nhost = \"127.0.0.1\"\nport = \(broker.port)\nusername = \"\(user)\"\n"
                + "password_file = \"\(folder.path("secret"))\"\n"
        }
        try "secret".write(toFile: folder.path("secret"), atomically: true, encoding: .utf8)
        chmod(folder.path("secret"), 0o600)
        try
            (section("boathouse") + """
                [gateway]
                id = "boathouse"
                [ring]
                path = "\(folder.path("ring.log"))"
                size_mib = 16
                [control]
                socket = "\(folder.path("control.sock"))"
                [athletes]
                roster = "logbook"
                publish_names = true
                [[erg]]
                slug = "erg-1"
                serial = "430000001"
                """).write(toFile: folder.path("rowgate.toml"), atomically: true, encoding: .utf8)
        try
            (section("coach") + """
                [http]
                tokens_file = "\(folder.path("tokens"))"
                [store]
                path = "\(folder.path("logbook.db"))"
                [publish]
                id = "club"
                """).write(toFile: folder.path("logbook.toml"), atomically: true, encoding: .utf8)
    }

    private func startGateway() async throws -> ChildProcess {
        let process = try ChildProcess(
            SimulatedRoom.program("rowgate"), ["--config", folder.path("rowgate.toml")],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        try #require(await eventually { process.text.contains("ready") }, "\(process.text)")
        return process
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let process = try ChildProcess(SimulatedRoom.program(program), arguments)
        await process.waitForExit()
        return process.text
    }

    private func control(_ arguments: [String]) async throws -> String {
        try await run("rowgatectl", arguments + ["--socket", folder.path("control.sock")])
    }

    private func logbook(_ arguments: [String]) async throws -> String {
        try await run("rowgate-logbook", arguments + ["--config", folder.path("logbook.toml")])
    }

    /// Whether the gateway has so many athletes within two minutes.
    private func hasAthletes(_ count: Int) async throws -> Bool {
        for _ in 0..<240 {
            let status = try await control(["status", "--json"])
            if status.firstMatch(of: #/"athletes" ?: ?(\d+)/#)?.1 == "\(count)" { return true }
            try await Task.sleep(for: .milliseconds(500))
        }
        return false
    }

    /// The doctor's line about athletes.
    private func doctor() async throws -> String? {
        try await control(["doctor", "--config", folder.path("rowgate.toml")])
            .split(separator: "\n").first { $0.contains("athletes") }.map(String.init)
    }

    private func listener(_ user: String) throws -> ChildProcess {
        try ChildProcess(
            "mosquitto_sub",
            [
                "-V", "5", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-u", user, "-P", "secret",
                "-t", "rowgate/v1/#", "-t", "rowgate/v1/+/cmd/roster", "-v",
            ])
    }

    @Test func theGatewayHasTheAthletesOfTheLogbook() async throws {
        let gateway = try await startGateway()
        let listeners = try ["coach", "dashboard"].map(listener)
        // Both receive the retained message, so both are subscribed.
        #expect(
            await eventually { listeners.allSatisfy { $0.text.contains("boathouse/roster {") } })
        #expect(try await doctor()?.contains("no logbook has sent") == true)
        let server = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"),
            ["--config", folder.path("logbook.toml"), "--listen", "127.0.0.1:0"])
        try #require(await eventually { server.hasSubscribed() }, "\(server.text)")
        for (name, id) in [("Kim Õunap", "kim-ounap"), ("Lee", "lee")] {
            let answer = try await logbook(["athlete", "add", name, "--power-2k", "300", "--power-6k", "250"])
            #expect(answer.contains(id), "\(answer)")
        }
        try #require(try await hasAthletes(2), "\(server.text)\(gateway.text)")
        #expect(try await doctor()?.contains("2 from the logbook club") == true)
        #expect(try await control(["assign", "erg-1", "stranger"]).contains("not in the gateway's roster"))
        #expect(try await control(["assign", "erg-1", "kim-ounap"]).contains("is assigned"))
        #expect(await eventually { listeners[1].text.contains("Kim Õunap") })
        // The monitor is not there, but the target has a pace.
        #expect(try await !control(["workout", "erg-1", "2000m@6k+4"]).contains("6k result"))

        // A change arrives by itself. Guests see the revision, and never the athletes.
        #expect(try await logbook(["athlete", "add", "Max"]).contains("max"))
        #expect(try await hasAthletes(3), "\(server.text)")
        #expect(listeners[0].text.contains("cmd/roster"))
        #expect(listeners[1].text.contains(#""athletes":3"#))
        #expect(!listeners[1].text.contains("cmd/roster") && !listeners[1].text.contains("\"lee\""))

        // The gateway keeps them without logbook and broker.
        #expect(await server.terminate() == 0, "\(server.text)")
        gateway.signal(SIGKILL)
        await gateway.waitForExit()
        await broker.stop()
        let next = try await startGateway()
        #expect(try await control(["assign", "erg-1", "stranger"]).contains("not in the gateway's roster"))
        #expect(try await control(["assign", "erg-1", "max"]).contains("is assigned"))
        #expect(try await control(["workout", "erg-1", "2000m@6k+4"]).contains("max's 6k result"))
        #expect(await next.terminate() == 0, "\(next.text)")
    }
}
