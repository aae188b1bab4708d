import Foundation
import RingLog
import TestSupport
import Testing

/// A downgrade: a later version of the program wrote the ring.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct LaterRingTests {
    /// Both superblocks name the next version. Exit status 78 stops restarts by systemd.
    @Test func refusesALaterRing() async throws {
        let folder = try TemporaryFolder()
        let ring = folder.path("ring.log")
        let content = try makeRing(at: ring, version: LogFormat.version + 1)
        let file = folder.path("rowgate.toml")
        try """
        [bluetooth]
        discovery = "any"
        [ring]
        path = "\(ring)"
        size_mib = 4
        [control]
        socket = "\(folder.path("control.sock"))"
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let daemon = try ChildProcess(SimulatedRoom.program("rowgate"), ["--config", file])
        #expect(await daemon.waitForExit() == 78)
        let sentence =
            "\(ring): written by a later version of this program; "
            + "install that version again, or move the file away to begin a new log"
        #expect(daemon.lines.last == sentence, "\(daemon.text)")
        let tool = try ChildProcess(
            SimulatedRoom.program("rowgatectl"), ["log", "info", "--ring", ring])
        #expect(await tool.waitForExit() == 1)
        #expect(tool.text.contains("written by a later version of this program"), "\(tool.text)")
        #expect(FileManager.default.contents(atPath: ring) == content, "not a byte has changed")
    }

    /// LogFormat.md, Superblock: the version is at 8, and the checksum of bytes 0..<60 at 60.
    private func makeRing(at path: String, version: UInt32) throws -> Data {
        let device = FallbackBlockDevice(path: path)
        let (writer, _) = try LogWriter.open(
            device: device, geometry: LogGeometry(capacity: 4 << 20),
            newEpoch: [UInt8](repeating: 1, count: 16))
        try writer.append(kind: 1, bytes: [1, 2, 3])
        try writer.close()
        var content = try #require(FileManager.default.contents(atPath: path))
        for page in [0, content.count - LogFormat.pageSize] {
            content.replaceSubrange(page + 8..<page + 12, with: littleEndian(version))
            var checksum = CRC32C()
            content[page..<page + 60].withUnsafeBytes { checksum.update($0) }
            content.replaceSubrange(page + 60..<page + 64, with: littleEndian(checksum.value))
        }
        try content.write(to: URL(fileURLWithPath: path))
        return content
    }

    private func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
