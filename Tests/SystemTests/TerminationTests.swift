import Foundation
import TestSupport
import Testing

/// Signals to a gateway that starts, stops or waits.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct TerminationTests {
    /// Uses one ring and two monitors. A third of the 18 gateways gets SIGTERM at a random moment of the
    /// start, a third when ready, and a third when connected to a monitor. A second signal follows at a
    /// random moment of the stop.
    @Test(.timeLimit(.minutes(30)))
    func endsAfterASignalAtAnyMoment() async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let room = try await SimulatedRoom(ergs: 2, simulator: ["--ergs", "2", "--seed", "3"])
        let began = ContinuousClock.now
        let complete = try await room.startGateway()
        let start = began.duration(to: .now)
        try await end(complete, in: room, pause: .zero, with: SIGTERM)
        var interrupted = 0
        for round in 0..<18 {
            let gateway = try room.launchGateway()
            switch round % 3 {
            case 0:
                // The first ones end early, because a start can take longer on a busy machine.
                let part = Double(round + 1) / 16 * Double.random(in: 0...1, using: &random)
                try await Task.sleep(for: start * part)
            case 1: #expect(await eventually { gateway.text.contains("ready, version") })
            default: #expect(await eventually { gateway.text.contains("connected to PM5") })
            }
            try await end(
                gateway, in: room, pause: .milliseconds(Int.random(in: 0...60, using: &random)),
                with: [SIGTERM, SIGINT].randomElement(using: &random) ?? SIGTERM)
            if !gateway.text.contains("ready, version") { interrupted += 1 }
        }
        #expect(interrupted > 0, "no start was interrupted")
    }

    /// Bus and broker accept connections and send nothing; a configuration file is a named pipe without a
    /// writer.
    @Test(.timeLimit(.minutes(30)))
    func endsWhileNothingAnswers() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: ["--ergs", "1", "--seed", "3"], brokerRuns: false)
        let silentServer = try ChildProcess(
            "python3",
            [
                "-c",
                """
                import socket, sys, time
                b = socket.socket(socket.AF_UNIX); b.bind(sys.argv[1]); b.listen()
                t = socket.create_server(("127.0.0.1", int(sys.argv[2])))
                print("up", flush=True); time.sleep(1800)
                """, room.folder.path("mute.sock"), "\(room.broker.port)",
            ])
        #expect(await eventually { silentServer.text == "up\n" })
        let address = "unix:path=\(room.folder.path("mute.sock"))"
        let waiting = try await room.startGateway(
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        try await end(waiting, in: room, pause: .zero, with: SIGTERM)

        try room.configure("", inFile: "1.toml")
        let pipe = room.folder.path("conf.d/2.toml")
        #expect(mkfifo(pipe, 0o600) == 0)
        let opening = try room.launchGateway()
        // The gateway handles signals before it opens the pipe.
        var writer: Int32 = -1
        #expect(
            await eventually {
                writer = open(pipe, O_WRONLY | O_NONBLOCK)
                return writer >= 0
            })
        defer { close(writer) }
        try await end(opening, in: room, pause: .zero, with: SIGTERM)
        #expect(opening.text.contains("rowgate stops before its files are open"))
    }

    /// Sends two signals, and checks the exit status and the ring.
    private func end(
        _ gateway: ChildProcess, in room: SimulatedRoom, pause: Duration, with second: Int32
    ) async throws {
        gateway.signal(SIGTERM)
        try await Task.sleep(for: pause)
        gateway.signal(second)
        let status = await gateway.waitForExit(within: .seconds(30))
        // Without signal handlers the gateway has printed and opened nothing.
        let wasEarly = (status == SIGTERM || status == second) && gateway.text.isEmpty
        #expect(status == 0 || wasEarly, "\(status ?? -1): \(gateway.text)")
        let (text, verification) = try await room.control(["log", "verify", "--ring", room.ring])
        #expect(verification == 0 && text.hasSuffix(", intact, closed in order\n"), "\(text)")
    }
}
