import Foundation
import TestSupport
import Testing

/// Hostile commands while two ergs row.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct HostileCommandTests {
    /// Every verb and unknown verbs, for one erg, all ergs and an unknown erg.
    private static let topics = [
        "cmd/ping", "cmd/replay", "cmd/reload", "cmd/diag", "cmd/ack", "cmd/crew", "cmd/explode",
        "erg/all/cmd/workout", "erg/erg-1/cmd/assign", "erg/erg-1/cmd/workout",
        "erg/erg-1/cmd/terminate", "erg/erg-2/cmd/release", "erg/erg-2/cmd/rate",
        "erg/all/cmd/identify", "erg/nobody/cmd/identify",
    ]

    /// Each topic gets a seeded flood, deep nesting, a message of 10 MB and retained messages; the
    /// control socket gets the same.
    @Test(.timeLimit(.minutes(30)))
    func deliversStrokesDuringAttacks() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 500m --speed 8 --link-speed 4 --seed 9".words)
        let gateway = try await room.startGateway(untilStrokes: 3)

        var generator = SeededGenerator(seed: 66)
        let nested = String(repeating: "[", count: 15_000)
        let oversized = room.folder.path("whale")
        try Data(repeating: 0x5B, count: 10 << 20).write(to: URL(fileURLWithPath: oversized))
        for topic in Self.topics {
            try await flood(
                room, topic, (0..<400).map { _ in HostileText.line(&generator) } + [nested])
            try await flood(
                room, topic, (0..<20).map { #"{"request_id":"\#($0)"}"# }, ["-r"])
            try await publish(room, topic, ["-f", oversized])
        }
        try await attackSocket(room)

        #expect(
            await eventually {
                room.messages(ofKind: "manifest").count == 2
            })
        for (index, count) in room.strokeCounts.enumerated() {
            #expect(count == room.simulatedStrokes(by: "erg-\(index + 1)"))
        }
        room.expectUniqueRecords()
        let diag = try await room.reply("cmd/diag", #"{"request_id":"after"}"#)
        #expect(diag["code"] as? String == "done")
        #expect(try #require(diag["commands_rejected_total"] as? Int) > 1000)
        #expect(diag["ring_dropped_total"] as? Int == 0)
        #expect(gateway.isRunning)
        #expect(await gateway.terminate() == 0)
    }

    /// Publishes each line as one message.
    private func flood(
        _ room: SimulatedRoom, _ topic: String, _ lines: [String], _ options: [String] = []
    ) async throws {
        let file = room.folder.path("lines")
        try (lines.joined(separator: "\n") + "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let input = try #require(FileHandle(forReadingAtPath: file))
        try await publish(room, topic, ["-l"] + options, input: input)
    }

    private func publish(
        _ room: SimulatedRoom, _ topic: String, _ options: [String], input: FileHandle? = nil
    ) async throws {
        let publisher = try ChildProcess(
            "mosquitto_pub",
            [
                "-V", "5", "-h", "127.0.0.1", "-p", "\(room.broker.port)", "-q", "1", "-t",
                "rowgate/v1/test/" + topic,
            ] + options, input: input)
        #expect(await publisher.waitForExit() == 0, "\(publisher.text)")
    }

    /// Sends malformed requests on one connection each, 10 MB without an end, and 1,000 requests at once.
    private func attackSocket(_ room: SimulatedRoom) async throws {
        let client = try ChildProcess(
            "python3",
            [
                "-c",
                """
                import random, socket, sys, threading
                random.seed(7)
                head = b'{"method":"org.rowgate.Control.Command","parameters":'
                bodies = [b'{"verb":7}', b'{"verb":"workout","erg":"all","arguments":{"type":[]}}',
                    b'{"verb":"x"}', b'{"verb":"assign","erg":"/","arguments":{}}', b'[' * 60000,
                    b'{"verb":"assign","erg":"erg-1","arguments":{"athlete_id":{}}}', b'null']
                for round in range(200):
                    s = socket.socket(socket.AF_UNIX)
                    s.settimeout(120)
                    s.connect(sys.argv[1])
                    body = bytearray(random.choice(bodies))
                    if random.random() < 0.5:
                        body[random.randrange(len(body))] = random.randrange(1, 256)
                    try:
                        s.sendall(head + bytes(body) + b'}\\0')
                        s.recv(4096)
                    except (BrokenPipeError, ConnectionResetError):
                        pass
                    s.close()
                def opened():
                    s = socket.socket(socket.AF_UNIX)
                    s.settimeout(120)
                    s.connect(sys.argv[1])
                    return s
                try:
                    opened().sendall(head + b'[' * (10 << 20))
                    sys.exit('10 MB were accepted')
                except (BrokenPipeError, ConnectionResetError):
                    pass
                s = opened()
                flood = threading.Thread(target=s.sendall, args=(
                    (head + b'{"verb":"ping","arguments":{"x":1}}}\\0') * 1000,))
                flood.start()
                answers = 0
                while answers < 1000:
                    answers += s.recv(1 << 16).count(0)
                flood.join()
                """, room.folder.path("control.sock"),
            ])
        #expect(await client.waitForExit() == 0, "\(client.text)")
    }
}

/// Generates texts similar to commands.
enum HostileText {
    private static let pieces = [
        "{", "}", "[", "]", ":", ",", "\"request_id\"", "\"type\"", "\"intervals\"", "\"for_s\"",
        "\"ms\"", "\"force\"", "\"athlete_id\"", "\"kind\"", "\"erg\"", "null", "true", "-1",
        "1e999", "0.5", "\"\\ud800\"", "\"a\"", "\"\\u0000\"", "99999999999999999999", "\"ä\"", " ",
    ]

    /// Returns a valid command with one character replaced, or pieces in random order.
    static func line(_ generator: inout SeededGenerator) -> String {
        guard Bool.random(using: &generator) else {
            return (0..<Int.random(in: 1...30, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        }
        let number = Int.random(in: 0...9999, using: &generator)
        var text = Array(
            #"{"request_id":"\#(number)","type":"intervals","repeat":4,"intervals":[{"distance_m":500}]}"#
        )
        let index = Int.random(in: text.indices, using: &generator)
        text.replaceSubrange(
            index...index, with: Array(pieces.randomElement(using: &generator) ?? ""))
        return String(text)
    }
}
