import Foundation
import Testing

/// Keeps the guides true.
@Suite struct GuideTests {
    private static let architecture =
        "Sources/Services/Gateway/Documentation.docc/Architecture.md"

    @Test func contributingIsShortAndItsLinksWork() throws {
        let text = try self.text(of: "CONTRIBUTING.md")
        #expect(text.utf8.count <= 6000)
        let links = text.matches(of: /\]\(([\w\/.]+)\)/).map { String($0.1) }
        #expect(links.count >= 5)
        #expect(
            links.filter {
                !FileManager.default.fileExists(atPath: SourceTree.root.path + "/" + $0)
            } == [])
    }

    @Test func architectureListsEveryQueueOfTheDaemon() throws {
        let named = try text(of: Self.architecture).components(separatedBy: "\n").compactMap {
            $0.firstMatch(of: /^\| `(rowgate\.[^`]+)`/).map { String($0.1) }
        }
        let labels = try SourceTree.swiftFiles(in: "Sources")
            .filter { ["Adapters", "Services"].contains($0.layer) && $0.target != "PM5Simulator" }
            .flatMap { file in
                file.lines.compactMap { line in
                    line.firstMatch(of: /label: "(rowgate\.[^"]+)"/).map {
                        $0.1.replacingOccurrences(of: "\\(station)", with: "<slug>")
                    }
                }
            }
        #expect(named.sorted() == labels.sorted())
    }

    private func text(of path: String) throws -> String {
        try String(contentsOf: SourceTree.root.appendingPathComponent(path), encoding: .utf8)
    }
}
