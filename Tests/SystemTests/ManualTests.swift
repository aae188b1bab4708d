import Foundation
import TestSupport
import Testing

/// Compares the manual pages of the package with the programs.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct ManualTests {
    private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static let programs = [
        ("rowgate", "rowgate.8"), ("rowgatectl", "rowgatectl.1"), ("pm5sim", "pm5sim.1"),
    ]

    @Test(arguments: programs)
    func documentsEveryCommandAndOption(program: String, page: String) async throws {
        let text = try await rendered(page)
        for command in try await commands(of: program) {
            let help = try await output(program, command + ["--help"])
            if !command.isEmpty, !help.contains("SUBCOMMANDS:") {
                #expect(
                    text.contains("\n   \(command.joined(separator: " "))\n"),
                    "\(command) has no section in \(page)")
            }
            for option in help.matches(of: /\s(--[a-z][a-z-]*)/).map({ String($0.1) }) {
                #expect(text.contains(option), "\(command) \(option) is not in \(page)")
            }
        }
    }

    @Test func helpMatchesGolden() async throws {
        var transcript = CommandTranscript(masks: [], environment: [:])
        for (program, _) in Self.programs {
            for command in try await commands(of: program) {
                try await transcript.run([program] + command + ["--help"])
            }
        }
        let text = transcript.text
        #expect(try text == goldenText("help.txt", for: text), "\(text)")
    }

    @Test func documentsEveryKey() async throws {
        let file = Self.project.appendingPathComponent("config/rowgate.toml").path
        let settings = try await output("rowgate", ["--print-config", "--config", file])
        let keys = settings.split(separator: "\n").compactMap { line in
            line.prefixMatch(of: /#?([a-z_0-9]+) =/).map { String($0.1) }
        }
        #expect(keys.count > 30)
        let text = try await rendered("rowgate.toml.5")
        for key in keys + ["slug", "serial"] {
            let entry = "\n       \(key) = [^\n]*\n              [^\n ]"
            #expect(try text.contains(Regex(entry)), "\(key) is not explained in rowgate.toml(5)")
        }
    }

    /// Takes the statuses from Golden/wrong-use.txt, which WrongUseTests writes.
    @Test(arguments: programs)
    func documentsEveryExitStatus(program: String, page: String) async throws {
        let text = try await rendered(page)
        let section = try #require(text.components(separatedBy: "\nEXIT STATUS\n").last)
        let own = section.split(separator: /\n[A-Z]/)[0]
        var documented = Set(own.matches(of: #/\n       (\d+) /#).compactMap { Int($0.1) })
        for sentence in text.split(separator: "Exit status:").dropFirst() {
            let list = String(sentence).components(separatedBy: "\n\n")[0]
            documented.formUnion(list.matches(of: /\b(\d+)\b/).compactMap { Int($0.1) })
        }
        let golden = Self.project.appendingPathComponent("Tests/SystemTests/Golden/wrong-use.txt")
        let transcript = try String(contentsOf: golden, encoding: .utf8)
        for use in ("\n" + transcript).components(separatedBy: "\n$ ")
        where use.hasPrefix("\(program) ") {
            let status = try #require(use.firstMatch(of: /\[status (\d+)\]/).flatMap { Int($0.1) })
            #expect(documented.contains(status), "\(status) of \(use) is not in \(page)")
        }
    }

    @Test(arguments: ["rowgate.8", "rowgatectl.1", "pm5sim.1", "rowgate.toml.5"])
    func groffReportsNoWarnings(page: String) async throws {
        let source = try await source(of: page)
        let process = try ChildProcess("groff", ["-man", "-ww", "-z", source.path("page")])
        #expect(await process.waitForExit() == 0)
        #expect(process.text == "")
    }

    // MARK: -

    /// Returns every command in the help of a program, such as `["log", "info"]`; the first one is empty.
    private func commands(of program: String) async throws -> [[String]] {
        var found: [[String]] = [[]]
        var index = 0
        while index < found.count {
            let help = try await output(program, found[index] + ["--help"])
            let list = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first ?? ""
            let names = list.components(separatedBy: "\n\n")[0].split(separator: "\n")
                .compactMap { $0.prefixMatch(of: #/  ([a-z-]+)/#).map { String($0.1) } }
            let parent = found[index]
            found += names.map { parent + [$0] }
            index += 1
        }
        return found
    }

    /// Returns the page as man shows it, without line breaks in paragraphs.
    private func rendered(_ page: String) async throws -> String {
        let folder = try await source(of: page)
        return try await output(
            path: "groff", ["-man", "-Tascii", "-P-cbou", "-rLL=1000n", folder.path("page")])
    }

    /// Returns a folder with the page, which `fill` completes with output of the programs.
    private func source(of page: String) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let manual = Self.project.appendingPathComponent("packaging/man")
        let bin = URL(fileURLWithPath: SimulatedRoom.program("rowgate")).deletingLastPathComponent()
        // `fill` uses paths relative to the project.
        let command =
            "cd '\(Self.project.path)' && '\(manual.path)/fill' '\(manual.path)/\(page).in' "
            + "'\(bin.path)' > '\(folder.path("page"))'"
        _ = try await output(path: "sh", ["-c", command])
        return folder
    }

    private func output(_ program: String, _ arguments: [String]) async throws -> String {
        try await output(path: SimulatedRoom.program(program), arguments)
    }

    private func output(path: String, _ arguments: [String]) async throws -> String {
        let process = try ChildProcess(path, arguments)
        #expect(await process.waitForExit() == 0, "\(path) \(arguments): \(process.text)")
        return process.text
    }
}
