import Foundation
import TestSupport
import Testing

@testable import Gateway
@testable import HostRuntime

/// Compares the parts of the daemon with Architecture.md.
struct DaemonPartsTests {
    private let folder: TemporaryFolder
    private let parts: [ServiceStep]

    init() throws {
        folder = try TemporaryFolder()
        parts = try Daemon(
            configuration(oneErg(in: folder)), readFrom: folder.path("rowgate.toml"), in: .machine
        ).parts
    }

    @Test func partsMatchTheDocument() throws {
        #expect(parts.map(\.name) == (try column(of: "part")))
    }

    /// The other queues: the liveness check's own, one that may wait for a bus, two that have work only during start and stop, one
    /// that waits for descriptors, and four that wait for the disk. `Tests/TidyTests` compares the table
    /// with all queues of the sources.
    @Test func checksEveryQueue() throws {
        let checked = parts.flatMap { $0.queues() }.map {
            $0.label.replacingOccurrences(of: "erg-1", with: "<slug>")
        }
        #expect(checked.count == Set(checked).count)
        #expect(
            (checked
                + [
                    "announcer", "athletes", "disk", "liveness", "deadline", "opening", "reading", "requests",
                    "sockets",
                ]
                .map { "rowgate." + $0 }).sorted() == (try column(of: "queue")).sorted())
    }

    @Test func stopDeadlinesEndBeforeSystemdKills() {
        #expect(parts.map(\.stopDeadline).reduce(.zero, +) < .seconds(5))
    }

    /// Returns the first column of the table with that heading, without backticks.
    private func column(of heading: String) throws -> [String] {
        let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(
                "../../Sources/Services/Gateway/Documentation.docc/Architecture.md")
        let lines = try String(contentsOf: document.standardizedFileURL, encoding: .utf8)
            .components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| \(heading) |") })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|")[0].trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        }
    }
}
