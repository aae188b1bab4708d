import Foundation
import TestSupport
import Testing

/// `rowgatectl decode`, `normalize` and `log` as programs: files, pipes and exit statuses.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct RecordingToolTests {
    private static let golden = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "SessionReplayTests/Golden")

    private func lines(of file: String) throws -> [String] {
        let text = try String(contentsOf: Self.golden.appending(path: file), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    /// Runs the program, and returns its output, its error lines and its exit status.
    private func run(
        _ arguments: [String], input: String? = nil, expecting count: Int
    ) async throws -> (lines: [String], errors: [String], status: Int32?) {
        let handle = try input.map {
            try FileHandle(forReadingFrom: Self.golden.appending(path: $0))
        }
        let process = try ChildProcess(
            SimulatedRoom.program("rowgatectl"), arguments, input: handle)
        let status = await process.waitForExit()
        let isError = { (line: String) in line.hasPrefix("rowgatectl: ") }
        _ = await eventually { process.lines.filter { !isError($0) }.count >= count }
        return (process.lines.filter { !isError($0) }, process.lines.filter(isError), status)
    }

    @Test func decodeReadsAPipeAndReportsInvalidLines() async throws {
        let expected = try lines(of: "decode.out.jsonl")
        let result = try await run(
            ["decode"], input: "decode.in.jsonl", expecting: expected.count)
        #expect(result.lines == expected)
        #expect(result.errors.last == "rowgatectl: unreadable: 9; see rowgatectl decode --help")
        #expect(result.status == 1)
    }

    @Test func normalizeReadsAFile() async throws {
        let expected = try lines(of: "distance-60m.out.jsonl")
        let file = Self.golden.appending(path: "distance-60m.in.jsonl").path
        let result = try await run(
            ["normalize", "--gateway", "boathouse", "--erg", "seat-3", file],
            expecting: expected.count)
        #expect(result.lines == expected)
        #expect(result.errors == [])
        #expect(result.status == 0)
    }

    @Test(arguments: [["decode", "/nowhere"], ["normalize", "/nowhere"]])
    func namesAMissingFile(arguments: [String]) async throws {
        let result = try await run(arguments, expecting: 0)
        #expect(
            result.errors == ["rowgatectl: /nowhere: No such file or directory; check the path"]
        )
        #expect(result.status == 1)
    }

    @Test(arguments: ["info", "verify", "tail", "export"])
    func namesAMissingRing(command: String) async throws {
        let result = try await run(["log", command, "--ring", "/nowhere"], expecting: 0)
        #expect(
            result.errors == [
                "rowgatectl: /nowhere: open: No such file or directory; "
                    + "--ring takes the path that [ring] in rowgate.toml names"
            ])
        #expect(result.status == 1)
    }

    /// 64 is EX_USAGE.
    @Test(
        arguments: [
            (["export", "--format", "csv"], "csv has the columns of one kind"),
            (["export", "--raw"], "--raw is a recording of one erg"),
            (["export", "--raw", "--erg", "a", "--kind", "stroke"], "--raw has no kinds"),
            (["tail", "--kind", "strokes"], "--kind takes event, session, stroke, force"),
            (["tail", "--since", "yesterday"], "--since takes 2026-09-05, "),
            (["tail", "-n", "1000001"], "-n takes 0 to 1000000"),
            (["tail", "--erg", "A/B"], "--erg takes 1 to 32 of a-z, 0-9 and -"),
        ])
    func explainsWrongOptions(arguments: [String], problem: String) async throws {
        let result = try await run(["log"] + arguments, expecting: 1)
        #expect(result.lines.first?.hasPrefix("Error: \(problem)") == true)
        #expect(result.status == 64)
    }

    @Test func checksSlugs() async throws {
        let result = try await run(["normalize", "--erg", "a/b"], expecting: 1)
        #expect(result.lines.first == "Error: --erg takes 1 to 32 of a-z, 0-9 and -, not 'a/b'")
        #expect(result.status == 64)
    }
}
