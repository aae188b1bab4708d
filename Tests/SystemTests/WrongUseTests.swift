import Foundation
import TestSupport
import Testing

/// Error messages for wrong use of the programs.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct WrongUseTests {
    /// Commands; `FOLDER` is a placeholder for a folder of the test.
    private static let uses: [[String]] = [
        ["rowgatectl", "frobnicate"],
        ["rowgatectl", "status", "--jsn"],
        ["rowgatectl", "status"],
        ["rowgatectl", "status", "--socket", "FOLDER/notes.txt"],
        ["rowgatectl", "scan", "--json"],
        ["rowgatectl", "watch"],
        ["rowgatectl", "watch", "--json"],
        ["rowgatectl", "watch", "--json", "--footer", "Ring the bell at six."],
        ["rowgatectl", "alerts", "ack"],
        ["rowgatectl", "identify", "all"],
        ["rowgatectl", "metrics"],
        ["rowgatectl", "metrics", "--textfile", "FOLDER/rowgate.txt"],
        ["rowgatectl", "metrics", "--textfile", "FOLDER/missing/rowgate.prom"],
        ["rowgatectl", "assign"],
        ["rowgatectl", "crew", "bow"],
        ["rowgatectl", "crew", "--dissolve"],
        ["rowgatectl", "crew", "bow", "erg-1", "--dissolve"],
        ["rowgatectl", "workout", "all", "5k"],
        ["rowgatectl", "workout", "all", "2000m", "--target", "fast"],
        ["rowgatectl", "workout", "all", "2000m"],
        ["rowgatectl", "release", "erg-1", "--for", "0"],
        ["rowgatectl", "athlete", "forget", "a-17"],
        ["rowgatectl", "athlete", "forget", "a-17", "--yes"],
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

    @Test func explainsEveryWrongUse() async throws {
        let folder = try TemporaryFolder()
        try "buy oil for the chains\n".write(
            toFile: folder.path("notes.txt"), atomically: true, encoding: .utf8)
        var transcript = Self.transcript(in: folder)
        for use in Self.uses { try await transcript.run(use) }
        let text = transcript.text
        #expect(try text == goldenText("wrong-use.txt", for: text), "\(text)")
    }

    /// Runs each verb that uses the control socket or the ring as a user without access to their folders.
    @Test(
        .enabled("needs root, and programs that everybody may run") {
            try await canChangeUser
        })
    func explainsMissingPermissions() async throws {
        let folder = try TemporaryFolder()
        for name in ["run", "state"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        var transcript = CommandTranscript(
            masks: [(folder.path, "FOLDER")],
            environment: ["ROWGATE_SOCKET": folder.path("run/control.sock")],
            prefix: Self.asOtherUser)
        for verb in Self.daemonCommands { try await transcript.run(["rowgatectl"] + verb) }
        for verb in ["info", "verify", "tail", "export"] {
            try await transcript.run(
                ["rowgatectl", "log", verb, "--ring", "FOLDER/state/ring.log"])
        }
        let text = transcript.text
        #expect(try text == goldenText("not-permitted.txt", for: text), "\(text)")
    }

    private static let daemonCommands: [[String]] = [
        ["status"], ["watch"], ["alerts"], ["alerts", "ack", "x"], ["scan"],
        ["assign", "erg-1", "a-17"], ["crew"], ["crew", "bow", "erg-1"],
        ["workout", "all", "2000m"], ["terminate", "all"], ["release", "erg-1"],
        ["identify", "erg-1"], ["metrics"],
        ["athlete", "forget", "a-17", "--yes"],
    ]

    private static let asOtherUser = [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
    ]

    private static var canChangeUser: Bool {
        get async throws {
            guard getuid() == 0 else { return false }
            let process = try ChildProcess(
                "setpriv",
                asOtherUser.dropFirst() + ["test", "-x", SimulatedRoom.program("rowgatectl")])
            return await process.waitForExit() == 0
        }
    }

    @Test func explainsABrokenConfiguration() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("conf.d"), withIntermediateDirectories: true)
        try Self.broken.replacingOccurrences(of: "FOLDER", with: folder.path).write(
            toFile: folder.path("rowgate.toml"), atomically: true, encoding: .utf8)
        try Self.brokenRoster.write(
            toFile: folder.path("roster.toml"), atomically: true, encoding: .utf8)
        try "[broker\nport = 1883\n".write(
            toFile: folder.path("conf.d/20-broker.toml"), atomically: true, encoding: .utf8)
        try "[ring]\nsize_mib = 1\n".write(
            toFile: folder.path("conf.d/10-ring.toml"), atomically: true, encoding: .utf8)
        var transcript = Self.transcript(in: folder)
        try await transcript.run(["rowgate", "--check-config", "--config", "FOLDER/rowgate.toml"])
        let text = transcript.text
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
        tls = true
        ca_file = "FOLDER/missing.pem"

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

        [athletes]
        roster = "FOLDER/roster.toml"
        """

    private static let brokenRoster = """
        [[athlete]]
        id = "Ann Lee"

        [[athlete]]
        id = "a-2"
        ergs = "erg-1"
        """

    private static func transcript(in folder: TemporaryFolder) -> CommandTranscript {
        CommandTranscript(
            masks: [(folder.path, "FOLDER")],
            environment: [
                "ROWGATE_SOCKET": folder.path("control.sock"),
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path("bus"))",
            ])
    }
}
