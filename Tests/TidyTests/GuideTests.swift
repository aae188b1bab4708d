import Foundation
import Testing

/// What the guides say of the tree is what is there.
@Suite struct GuideTests {
    private static let architecture =
        "Sources/Services/Gateway/Documentation.docc/Architecture.md"

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

    @Test func everyFileAndLimitThatIsNamedExists() throws {
        // Goal: no guide leads astray. Method: each Swift file that CONTRIBUTING.md and Architecture.md
        // name, and each `Type.member` of the table of limits.
        let files = try SourceTree.swiftFiles(in: "Sources")
        let guides = ["CONTRIBUTING.md", Self.architecture]
        let named = try guides.flatMap(lines).flatMap { line in
            line.matches(of: /`([\w\/+]+\.swift)`/).map { "/\($0.1)" }
        }
        #expect(named.count > 20)
        #expect(named.filter { name in !files.contains { "/\($0.path)".hasSuffix(name) } } == [])
        let limits = try lines(of: "CONTRIBUTING.md").flatMap { line in
            line.matches(of: /`([A-Z]\w+)\.([a-z]\w+)`/).map { ($0.1, $0.2) }
        }
        .filter { !["swift", "md"].contains($0.1) }
        #expect(limits.count > 10)
        let missing = try limits.filter { type, member in
            let isType = try Regex(
                #"\b(?:struct|enum|class|actor|protocol|extension)\s(?:\w+\.)?\#(type)\b"#)
            let isMember = try Regex(#"\b(?:let|var|case|func)\s\#(member)\b"#)
            return !files.contains { file in
                file.lines.contains { $0.contains(type) && $0.contains(isType) }
                    && file.lines.contains { $0.contains(member) && $0.contains(isMember) }
            }
        }
        #expect(missing.map { "\($0.0).\($0.1)" } == [])
    }

    @Test func everyQueueIsInTheTable() throws {
        // Goal: no queue of the daemon that nobody knows of, and that liveness does not ask. Method:
        // every label in the sources beside the table of Architecture.md, which a test of the gateway
        // holds against what liveness asks.
        let named = try lines(of: Self.architecture).compactMap {
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
