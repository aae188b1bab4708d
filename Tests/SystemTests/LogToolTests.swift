import Foundation
import TestSupport
import Testing

extension SimulatedRoom {
    var ring: String { folder.path("ring.log") }

    /// Runs a pipeline of rowgatectl commands and returns its standard output.
    func pipeline(_ commands: [[String]]) async throws -> String {
        let output = folder.path("pipeline-\(UUID().uuidString)")
        let program = "'\(Self.program("rowgatectl"))' "
        let text = commands.map { program + $0.joined(separator: " ") }.joined(separator: " | ")
        let process = try ChildProcess("bash", ["-o", "pipefail", "-c", "\(text) > '\(output)'"])
        guard await process.waitForExit() == 0 else {
            throw TestSupportError("\(text): \(process.text)")
        }
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    /// Compares the replay of an erg's raw values with its published messages.
    func expectReplay(of erg: String, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let text = try await pipeline([
            ["log", "export", "--raw", "--erg", erg, "--ring", ring],
            ["normalize", "--gateway", "test", "--erg", erg],
        ])
        let replayed = try text.split(separator: "\n").map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        for kind in ["session", "stroke", "force", "split", "gap", "summary", "manifest"] {
            let published = messages(ofKind: kind, of: erg).map { content(of: $0.fields) }
            let replayedContents = replayed.filter { ($0["topic"] as? String)?.hasSuffix("/\(kind)") == true }
                .compactMap { $0["payload"] as? [String: Any] }.map(content)
            // A revision with the recovery heart rate may follow.
            let count = kind == "summary" ? 1 : published.count
            #expect(
                replayedContents.prefix(count) == published.prefix(count), "\(kind) of \(erg)",
                sourceLocation: sourceLocation)
            if kind != "summary" {
                #expect(replayedContents.count == count, "\(kind) of \(erg)", sourceLocation: sourceLocation)
            }
        }
    }

    /// Returns a message without the fields that depend on the ring, the session and the time.
    private func content(of fields: [String: Any]) -> NSDictionary {
        let own: Set = [
            "epoch", "session_id", "ts_ms", "time", "clock", "boot_id", "boot_ms", "started_ms",
            "ended_ms", "stroke_sha256", "historical",
        ]
        return fields.filter { !own.contains($0.key) } as NSDictionary
    }
}
