import Foundation
import TestSupport
import Testing

/// What somebody reads who does not yet know how the programs want to be used.
struct WrongUseTests {
    /// A command line; `FOLDER` stands for a folder of the test.
    private static let uses: [[String]] = [
        ["rowgatectl", "frobnicate"],
        ["rowgatectl", "status", "--jsn"],
        ["rowgatectl", "status"],
        ["rowgatectl", "status", "--socket", "FOLDER/notes.txt"],
        ["rowgatectl", "scan", "--json"],
        ["rowgatectl", "metrics"],
        ["rowgatectl", "metrics", "--textfile", "FOLDER/rowgate.txt"],
        ["rowgatectl", "metrics", "--textfile", "FOLDER/missing/rowgate.prom"],
        ["rowgatectl", "assign"],
        ["rowgatectl", "workout", "all", "5k"],
        ["rowgatectl", "workout", "all", "2000m", "--target", "fast"],
        ["rowgatectl", "workout", "all", "2000m"],
        ["rowgatectl", "release", "erg-1", "--for", "0"],
        ["rowgatectl", "athlete", "forget", "a-17"],
        ["rowgatectl", "log", "info", "--ring", "FOLDER/missing.log"],
        ["rowgatectl", "log", "verify", "--ring", "FOLDER/notes.txt"],
        ["rowgatectl", "log", "tail", "--kind", "strokes"],
        ["rowgatectl", "log", "tail", "--since", "yesterday"],
        ["rowgatectl", "log", "export", "--format", "csv"],
        ["rowgatectl", "log", "export", "--raw"],
        ["rowgatectl", "decode", "FOLDER/missing.jsonl"],
        ["rowgatectl", "decode", "FOLDER"],
        ["rowgatectl", "decode", "FOLDER/notes.txt"],
        ["rowgatectl", "normalize", "--erg", "Seat 3"],
        ["rowgatectl", "normalize", "FOLDER/notes.txt"],
        ["rowgatectl", "prove", "FOLDER/missing"],
        ["rowgatectl", "prove", "FOLDER/notes.txt"],
        ["rowgatectl", "prove", "--host", "127.0.0.1", "--port", "1", "--for", "5"],
        ["rowgatectl", "prove", "--for", "5", "--until-manifest"],
        ["rowgatectl", "prove", "--password-file", "FOLDER/missing"],
        ["rowgatectl", "support-bundle", "--output", "FOLDER/missing/bundle.tar"],
        ["rowgate", "--chek-config"],
        ["rowgate", "--config", "FOLDER/missing.toml"],
        ["rowgate", "--print-config", "--config", "FOLDER/missing.toml"],
        ["pm5sim", "--ergs", "100"],
        ["pm5sim", "--workout", "5k"],
        ["pm5sim", "--replay", "FOLDER/missing.jsonl"],
    ]

    /// Goal: each says what is wrong and what would be right, and ends with the documented status.
    /// Method: every wrong use that a beginner comes up with, as a transcript.
    @Test func everyWrongUseIsAnswered() async throws {
        let folder = try TemporaryFolder()
        try "buy oil for the chains\n".write(
            toFile: folder.path("notes.txt"), atomically: true, encoding: .utf8)
        var transcript = ""
        for use in Self.uses {
            let arguments = use.dropFirst().map {
                $0.replacingOccurrences(of: "FOLDER", with: folder.path)
            }
            let (text, status) = try await run(use[0], arguments, in: folder)
            transcript += "$ \(use.joined(separator: " "))\n\(text)[status \(status)]\n\n"
        }
        #expect(try transcript == goldenText("wrong-use.txt", for: transcript), "\(transcript)")
    }

    /// Goal: one run names every mistake of a really broken configuration. Method: a file with
    /// mistakes of all kinds, a drop-in with more, and a password file that is not there.
    @Test func aBrokenConfigurationIsExplained() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("conf.d"), withIntermediateDirectories: true)
        try Self.broken.write(
            toFile: folder.path("rowgate.toml"), atomically: true, encoding: .utf8)
        try "[broker\nport = 1883\n".write(
            toFile: folder.path("conf.d/20-broker.toml"), atomically: true, encoding: .utf8)
        try "[ring]\nsize_mib = 1\n".write(
            toFile: folder.path("conf.d/10-ring.toml"), atomically: true, encoding: .utf8)
        let file = folder.path("rowgate.toml")
        let (text, status) = try await run(
            "rowgate", ["--check-config", "--config", file], in: folder)
        #expect(status == 78)
        #expect(try text == goldenText("broken-configuration.txt", for: text), "\(text)")
    }

    private static let broken = """
        [gateway]
        id = "Boat House"

        [brokre]
        host = "mqtt.example.org"

        [broker]
        hots = "mqtt.example.org"
        port = "1883"
        keepalive_s = 2
        interval_ms = 500
        password_file = "secret/password"

        [bluetooth]
        adapters = ["hci0"]
        carrier = "multiplex"
        sample_rate_ms = 300

        [[erg]]
        slug = "erg-1"
        serial = 430000001

        [[erg]]
        slug = "erg-1"
        serial = "43000000"

        [control]
        socket = "run/control.sock"

        [log]
        level = "warn"
        """

    private func run(
        _ program: String, _ arguments: [String], in folder: TemporaryFolder
    ) async throws -> (text: String, status: Int32) {
        let process = try ChildProcess(
            SimulatedRoom.program(program), arguments,
            environment: [
                "ROWGATE_SOCKET": folder.path("control.sock"),
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path("bus"))", "TERM": "dumb",
            ])
        let status = try #require(await process.waitForExit(), "it does not end")
        return (process.text.replacingOccurrences(of: folder.path, with: "FOLDER"), status)
    }
}
