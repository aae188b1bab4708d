import Foundation
import Testing

/// What the guides say of the tree is what is there.
@Suite struct GuideTests {
    @Test func everyTargetHasItsLine() throws {
        // Goal: a newcomer finds the folder of each thing. Method: the table of CONTRIBUTING.md beside
        // the folders; programs and C libraries have a line together.
        let folders = try SourceTree.swiftFiles(in: "Sources")
            .filter { !["Programs", "System"].contains($0.layer) }
            .map { "\($0.layer)/\($0.target)" }
        let named = try lines(of: "CONTRIBUTING.md").compactMap {
            $0.firstMatch(of: /^\| `(?!Sources|Tests|config)(\w+\/\w+)` \|/).map { String($0.1) }
        }
        #expect(named.sorted() == Set(folders).sorted())
    }

    @Test func everyQueueIsInTheTable() throws {
        // Goal: no queue of the daemon that nobody knows of, and that liveness does not ask. Method:
        // every label in the sources beside the table of Architecture.md, which a test of the gateway
        // holds against what liveness asks.
        let folder = "Sources/Services/Gateway/Documentation.docc/"
        let named = try lines(of: folder + "Architecture.md").compactMap {
            $0.firstMatch(of: /^\| `(rowgate\.[^`]+)`/).map { String($0.1) }
        }
        let made = try SourceTree.swiftFiles(in: "Sources")
            .filter { ["Adapters", "Services"].contains($0.layer) && $0.target != "PM5Simulator" }
            .flatMap { file in
                file.lines.compactMap { line in
                    line.firstMatch(of: /label: "(rowgate\.[^"]+)"/).map {
                        $0.1.replacingOccurrences(of: "\\(station)", with: "<slug>")
                    }
                }
            }
        #expect(named.sorted() == made.sorted())
    }

    private func lines(of path: String) throws -> [String] {
        let file = SourceTree.root.appendingPathComponent(path)
        return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }
}
