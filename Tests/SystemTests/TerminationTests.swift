import Foundation
import TestSupport
import Testing

/// A gateway that is told to stop at a bad moment.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct TerminationTests {
    /// Goal: a signal at any moment of the start and of the stop ends the gateway before systemd would
    /// kill it, in order: status 0, and the ring closed.
    /// Method: starts on one ring, beside two monitors that are linked where there is time for it. A
    /// third is ended at a random part of the time that a start takes, a third once it is ready, a
    /// third once it has a link; then comes another signal at a random moment of the stop.
    @Test(.timeLimit(.minutes(30)))
    func signalAtAnyMoment() async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let room = try await SimulatedRoom(ergs: 2, simulator: ["--ergs", "2", "--seed", "3"])
        let began = ContinuousClock.now
        let whole = try await room.startGateway()
        let start = began.duration(to: .now)
        try await end(whole, in: room, again: .zero, with: SIGTERM)
        var interrupted = 0
        for round in 0..<18 {
            let gateway = try room.launchGateway()
            switch round % 3 {
            case 0:
                // The first ones early: how long a start takes varies on a busy machine.
                let part = Double(round + 1) / 16 * Double.random(in: 0...1, using: &random)
                try await Task.sleep(for: start * part)
            case 1: #expect(await eventually { gateway.text.contains("ready, version") })
            default: #expect(await eventually { gateway.text.contains("connected to PM5") })
            }
            try await end(
                gateway, in: room, again: .milliseconds(Int.random(in: 0...60, using: &random)),
                with: [SIGTERM, SIGINT].randomElement(using: &random) ?? SIGTERM)
            if !gateway.text.contains("ready, version") { interrupted += 1 }
        }
        #expect(interrupted > 0, "no start was interrupted")
    }

    /// Goal: what does not answer does not keep the gateway from ending: a bus and a broker that take
    /// a connection and say nothing, and a file of the configuration that does not open.
    /// Method: two listening sockets that nobody reads; a named pipe that has no end.
    @Test(.timeLimit(.minutes(30)))
    func signalWhileNothingAnswers() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: ["--ergs", "1", "--seed", "3"], brokerRuns: false)
        let mute = try ChildProcess(
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
        #expect(await eventually { mute.text == "up\n" })
        let address = "unix:path=\(room.folder.path("mute.sock"))"
        let waiting = try await room.startGateway(
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        try await end(waiting, in: room, again: .zero, with: SIGTERM)

        try room.configure("", inFile: "1.toml")
        let pipe = room.folder.path("conf.d/2.toml")
        #expect(mkfifo(pipe, 0o600) == 0)
        let opening = try room.launchGateway()
        // It has caught the signals by the time that it opens the pipe, to which nobody writes.
        var writer: Int32 = -1
        #expect(
            await eventually {
                writer = open(pipe, O_WRONLY | O_NONBLOCK)
                return writer >= 0
            })
        defer { close(writer) }
        try await end(opening, in: room, again: .zero, with: SIGTERM)
        #expect(opening.text.contains("rowgate stops before its files are open"))
    }

    /// Signals twice, and looks at what is left.
    private func end(
        _ gateway: ChildProcess, in room: SimulatedRoom, again pause: Duration, with second: Int32
    ) async throws {
        gateway.signal(SIGTERM)
        try await Task.sleep(for: pause)
        gateway.signal(second)
        let status = await gateway.waitForExit(within: .seconds(30))
        // Before it catches both signals it has said nothing and opened nothing.
        let wasEarly = (status == SIGTERM || status == second) && gateway.text.isEmpty
        #expect(status == 0 || wasEarly, "\(status ?? -1): \(gateway.text)")
        let (text, verdict) = try await room.control(["log", "verify", "--ring", room.ring])
        #expect(verdict == 0 && text.hasSuffix(", intact, closed in order\n"), "\(text)")
    }
}
