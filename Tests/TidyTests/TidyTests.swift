import Foundation
import Testing

@Suite struct TidyTests {
    @Test func importsFollowTheLayers() throws {
        let files = try SourceTree.swiftFiles(in: "Sources")
        #expect(files.count > 50)
        let rule = ImportRule(files)
        #expect(files.flatMap(rule.violations) == [])
    }

    @Test func styleRulesHold() throws {
        let sources = try SourceTree.swiftFiles(in: "Sources")
        let tests = try SourceTree.swiftFiles(in: "Tests")
        #expect(sources.flatMap(StyleRules.violationsInProduct) == [])
        #expect((sources + tests).flatMap(StyleRules.violationsAnywhere) == [])
    }

    @Test func extensionsNameWhatTheyChange() throws {
        let files = try SourceTree.swiftFiles(in: "Sources")
        #expect(StateRule.violations(in: files) == [])
    }

    @Test func noPathLeavesTheRepository() throws {
        let files = try RepositoryPaths.files()
        #expect(files.count > 800)
        #expect(files.flatMap(RepositoryPaths.violations) == [])
    }

    @Test func rootHoldsOnlyWhatBelongsThere() throws {
        let expected = [
            "CONTRIBUTING.md", "LICENSE", "Package.resolved", "Package.swift", "README.md",
            "Sources", "Tests", "config", "packaging", "systemd",
        ]
        #expect(try SourceTree.topLevel().filter { !expected.contains($0) } == [])
    }
}

@Suite struct TidyRuleTests {
    private func file(_ text: String, _ path: String = "Sources/Core/Rowing/A.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test(arguments: [
        ("import Glibc", "Glibc"), ("@testable import RingLog", "RingLog"),
        ("  @preconcurrency import Dispatch", "Dispatch"),
        ("@_spi(Testing) package import SDBus", "SDBus"),
        ("import struct Foundation.Data", "Foundation"), ("import Glibc;", "Glibc"),
        ("// import Glibc", nil), ("let important = 1", nil), ("important Glibc", nil),
    ])
    func findsEveryFormOfImport(line: String, module: String?) {
        #expect(ImportRule.module(importedBy: line) == module)
    }

    @Test(arguments: [
        ("Core/Rowing", "Glibc"), ("Core/Rowing", "RingLog"), ("Adapters/RingLog", "SDBus"),
        ("Services/Recording", "Publishing"), ("Tools/Diagnosis", "Recording"),
        ("Programs/rowgate", "Foundation"), ("Adapters/ControlSocket", "FoundationEssentials"),
        ("Utilities/Things", "Rowing"),
    ])
    func findsForbiddenImports(folder: String, module: String) {
        let known = [
            "Core/Rowing", "Adapters/RingLog", "Services/Publishing", "Services/Recording",
        ]
        .map { file("", "Sources/\($0)/A.swift") }
        let importing = file("import \(module)", "Sources/\(folder)/A.swift")
        #expect(ImportRule(known + [importing]).violations(in: importing).count == 1)
    }

    @Test(arguments: [
        "let a = try! b()", "let a = b as! C", "fatalError(\"a\")", "  print(a)",
        "package struct A {}", "/// A.\n\npackage enum B {}",
        "final class A: @unchecked Sendable {}", "nonisolated(unsafe) var a = 1",
    ])
    func findsViolations(text: String) {
        #expect(StyleRules.violationsInProduct(file(text)).count == 1)
    }

    @Test(arguments: [
        "// try! is not used", "let a = \"fatalError(\"", "footprint(a)", "stream.print(a)",
        "/// A.\n@frozen\npackage struct A {}", "final class A: @unchecked Sendable {}  // lock",
        "// Set once, before the queue starts.\nnonisolated(unsafe) var a = 1",
    ])
    func acceptsNearMisses(text: String) {
        #expect(StyleRules.violationsInProduct(file(text)) == [])
    }

    @Test(arguments: [
        "level = 1", "self.level += 1", "levels[1].height = 2", "levels.append(1)", "take(&level)",
        "level.parts?.first ??= 2",
    ])
    func findsUnnamedChanges(change: String) {
        let type = file(
            "final class A {\n    var level = 0\n    package var levels: [Int] = []\n}")
        func violations(_ text: String) -> Int {
            let path = "Sources/Core/Rowing/A+Change.swift"
            return StateRule.violations(in: [type, file(text, path)]).count
        }
        let body = "extension A {\n    func change() {\n        \(change)\n    }\n}"
        #expect(violations(body) == 1)
        #expect(violations("/// Changes `level` and `levels`.\n" + body) == 0)
        #expect(violations(body.replacingOccurrences(of: "level", with: "other")) == 0)
    }

    /// `UP` means the parent folder.
    @Test(arguments: [
        (#"let folder = "UP/UP/UP/shared/vectors""#, 1), (#"cd "$(dirname "$0")/UP/UP/UP""#, 1),
        (#".appending(path: "UP/UP/UP/UP/captures/pm5")"#, 1),
        (#"URL(fileURLWithPath: #filePath).deletingLastPathComponent().a("UP/UP/UP/x")"#, 1),
        ("a" + String(repeating: ".deletingLastPathComponent()", count: 4), 1),
        ("a" + String(repeating: "\n    .deletingLastPathComponent()", count: 4), 1),
        ("for _ in 0..<4 { folder.delete" + "LastPathComponent() }", 1),
        ("for _ in 0..<3 { folder.delete" + "LastPathComponent() }", 0),
        (#"folder.append(path: "shared"# + "/pm5\")", 1),
        (#".appendingPathComponent("UP/UP/config/rowgate.toml")"#, 0), ("1...3 and 0..<4", 0),
        ("a" + String(repeating: ".deletingLastPathComponent()", count: 3), 0),
    ])
    func findsPathsThatLeaveTheRepository(line: String, violations: Int) {
        let line = line.replacingOccurrences(of: "UP", with: "..")
        let found = RepositoryPaths.violations(path: "Tests/RowingTests/A.swift", text: line)
        #expect(found.count == violations)
    }

    @Test(arguments: [
        ("Tests/TestSupport/A.swift", 1), ("Tests/RecordWriter/A.swift", 1),
        ("Sources/Tools/PM5Simulator/A.swift", 1), ("Tests/Load/GatewayFleet/A.swift", 1),
        ("Tests/RowingTests/A.swift", 0), ("Tests/GatewayTests/Stepped/A.swift", 0),
    ])
    func findsTestableImportsOutsideOfTests(path: String, violations: Int) {
        let lines = "import Timeline\n@testable import Rowing\n// @testable import Bytes"
        #expect(StyleRules.violationsAnywhere(file(lines, path)).count == violations)
    }

    @Test func findsLongAndUnfinishedFiles() {
        let lines = String(repeating: "\n", count: StyleRules.maximumLines)
        #expect(StyleRules.violationsAnywhere(file(lines)).count == 1)
        #expect(StyleRules.violationsAnywhere(file(String(lines.dropLast()))) == [])
        let mark = "TO" + "DO"
        #expect(StyleRules.violationsAnywhere(file("// \(mark): later")).count == 1)
    }
}
