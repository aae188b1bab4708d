import Foundation
import TestSupport
import Testing

@testable import Gateway
@testable import HostRuntime

/// What the daemon is made of, and what Architecture.md says of it.
struct DaemonPartsTests {
    private let folder: TemporaryFolder
    private let parts: [ServiceStep]

    init() throws {
        folder = try TemporaryFolder()
        parts = try Daemon(
            configuration(oneErg(in: folder)), readFrom: folder.path("rowgate.toml"), in: .machine
        ).parts
    }

    @Test func partsAreThoseOfTheDocument() throws {
        // Goal: nobody reads of another start order than there is. Method: the parts of a daemon,
        // beside the table under "Start and stop".
        #expect(parts.map(\.name) == (try column(of: "part")))
    }

    @Test func everyQueueIsAskedWhetherItLives() throws {
        // Goal: a queue that hangs is found, whichever it is. Method: the queues that the parts hand
        // in, beside the table under "Queues"; the watch cannot ask itself, two queues have no work
        // but while the daemon starts and stops, one waits for the others' descriptors, and three wait
        // for the disk. A test of the sources holds the same table against every queue there is.
        let asked = parts.flatMap { $0.queues() }.map {
            $0.label.replacingOccurrences(of: "erg-1", with: "<slug>")
        }
        #expect(asked.count == Set(asked).count)
        #expect(
            (asked
                + ["disk", "liveness", "deadline", "opening", "reading", "requests", "sockets"]
                .map { "rowgate." + $0 }).sorted() == (try column(of: "queue")).sorted())
    }

    @Test func stopIsOverBeforeSystemdKills() {
        // Goal: parts that all hang are left behind in time. Method: the sum of their deadlines.
        #expect(parts.map(\.stopDeadline).reduce(.zero, +) < .seconds(5))
    }

    /// The first column of the table with that heading, without its marks.
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
