import Foundation
import HostRuntime
import TestSupport
import Testing

@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct CatalogTests {
    private func catalog() throws -> String {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("packaging/rowgate.catalog")
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test func catalogExplainsEveryEvent() throws {
        let explained = try catalog().split(separator: "\n").filter { $0.hasPrefix("-- ") }
            .map { String($0.dropFirst(3)) }
        #expect(explained.sorted() == CatalogEvent.allCases.map(\.rawValue).sorted())
    }

    @Test func systemdCompilesTheCatalog() async throws {
        // journalctl keeps one database for a root, so the root is a folder of this test.
        let root = FileManager.default.temporaryDirectory
            .appendingPathComponent("rowgate-catalog-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = root.appendingPathComponent("usr/lib/systemd/catalog")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true)
        try catalog().write(
            to: folder.appendingPathComponent("rowgate.catalog"), atomically: true, encoding: .utf8)
        let journalctl = try ChildProcess(
            "/usr/bin/journalctl", ["--root", root.path, "--update-catalog"])
        #expect(await journalctl.waitForExit() == 0, "\(journalctl.text)")
    }
}
