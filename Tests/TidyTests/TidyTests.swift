import Foundation
import Testing

@Suite struct TidyTests {
    @Test func importsFollowTheLayers() throws {
        // Goal: no arrow that the architecture lacks. Method: read every import of the product.
        let files = try SourceTree.swiftFiles(in: "Sources")
        #expect(files.count > 50)
        let rule = ImportRule(files)
        #expect(files.flatMap(rule.violations) == [])
    }

    @Test func styleHolds() throws {
        // Goal: the rules that a reader relies on. Method: read the product and the tests.
        let sources = try SourceTree.swiftFiles(in: "Sources")
        let tests = try SourceTree.swiftFiles(in: "Tests")
        #expect(sources.flatMap(StyleRules.violationsInProduct) == [])
        #expect((sources + tests).flatMap(StyleRules.violationsAnywhere) == [])
    }

    @Test func extensionsNameWhatTheyChange() throws {
        // Goal: no object that everybody may change. Method: read assignments in files of extensions.
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
    private func file(_ text: String, _ path: String = "Sources/Core/Rowing/A.swift") -> SourceFile
    {
        SourceFile(path: path, text: text)
    }

    @Test(arguments: [
        ("import Glibc", "Glibc"), ("@testable import RingLog", "RingLog"),
        ("  @preconcurrency import Dispatch", "Dispatch"),
        ("@_spi(Testing) package import SDBus", "SDBus"),
        ("import struct Foundation.Data", "Foundation"), ("import Glibc;", "Glibc"),
        ("// import Glibc", nil), ("let important = 1", nil), ("important Glibc", nil),
    ])
    func everyFormOfImportIsSeen(line: String, module: String?) {
        // Goal: no import slips through by its form. Method: the forms that Swift has.
        #expect(ImportRule.module(importedBy: line) == module)
    }

    @Test(arguments: [
        ("Core/Rowing", "Glibc"), ("Core/Rowing", "RingLog"), ("Adapters/RingLog", "SDBus"),
        ("Services/Recording", "Publishing"), ("Tools/Diagnosis", "Recording"),
        ("Programs/rowgate", "Foundation"), ("Adapters/ControlSocket", "FoundationEssentials"),
        ("Utilities/Things", "Rowing"),
    ])
    func arrowsThatTheFoldersDoNotGiveAreFound(folder: String, module: String) {
        // Goal: the rule can fail. Method: one import too many in each layer.
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
    func violationsOfTheProductAreFound(text: String) {
        // Goal: each rule can fail. Method: a line that breaks it, and nothing else.
        #expect(StyleRules.violationsInProduct(file(text)).count == 1)
    }

    @Test(arguments: [
        "// try! is not used", "let a = \"fatalError(\"", "footprint(a)", "stream.print(a)",
        "/// A.\n@frozen\npackage struct A {}", "final class A: @unchecked Sendable {}  // lock",
        "// Set once, before the queue starts.\nnonisolated(unsafe) var a = 1",
    ])
    func whatOnlyLooksLikeAViolationIsNot(text: String) {
        // Goal: the rules do not get in the way. Method: near misses.
        #expect(StyleRules.violationsInProduct(file(text)) == [])
    }

    @Test(arguments: [
        "level = 1", "self.level += 1", "levels[1].height = 2", "levels.append(1)", "take(&level)",
        "level.parts?.first ??= 2",
    ])
    func aChangeThatIsNotNamedIsFound(change: String) {
        // Goal: the rule can fail, and a named field satisfies it. Method: each form of a change.
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

    /// `UP` stands for a step to the folder above.
    @Test(arguments: [
        (#"let folder = "UP/UP/UP/shared/vectors""#, 1), (#"cd "$(dirname "$0")/UP/UP/UP""#, 1),
        (#".appending(path: "UP/UP/UP/UP/shared/pm5")"#, 1),
        (#"URL(fileURLWithPath: #filePath).deletingLastPathComponent().a("UP/UP/UP/x")"#, 1),
        ("a" + String(repeating: ".deletingLastPathComponent()", count: 4), 1),
        (#".appendingPathComponent("UP/UP/config/rowgate.toml")"#, 0), ("1...3 and 0..<4", 0),
        ("a" + String(repeating: ".deletingLastPathComponent()", count: 3), 0),
    ])
    func findsPathsThatLeaveTheRepository(line: String, violations: Int) {
        let line = line.replacingOccurrences(of: "UP", with: "..")
        let found = RepositoryPaths.violations(path: "Tests/RowingTests/A.swift", text: line)
        #expect(found.count == violations)
    }

    @Test func longAndUnfinishedFilesAreFound() {
        // Goal: each rule can fail. Method: one line too many, and a mark left behind.
        let lines = String(repeating: "\n", count: StyleRules.maximumLines)
        #expect(StyleRules.violationsAnywhere(file(lines)).count == 1)
        #expect(StyleRules.violationsAnywhere(file(String(lines.dropLast()))) == [])
        let mark = "TO" + "DO"
        #expect(StyleRules.violationsAnywhere(file("// \(mark): later")).count == 1)
    }
}
