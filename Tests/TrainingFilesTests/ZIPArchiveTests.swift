import Foundation
import TestSupport
import Testing

@testable import TrainingFiles

@Suite struct ZIPArchiveTests {
    /// 2026-11-26 18:02:31.
    private static let evening: Int64 = 1_795_716_151_000

    /// As Python's zipfile writes it, but for the permissions.
    @Test func writesBytesOfOneFile() {
        var archive = ZIPArchive()
        archive.append("a.fit", Array("123456789".utf8), at: Self.evening)
        let local = "0a00000000004f907a5d2639f4cb09000000090000000500"
        let expected =
            "504b0304" + local + "0000" + "612e666974" + "313233343536373839"
            + "504b01020a00" + local + "0000" + "0000" + "0000" + "0000" + "00000000" + "00000000"
            + "612e666974"
            + "504b0506" + "0000" + "0000" + "0100" + "0100" + "33000000" + "2c000000" + "0000"
        #expect(archive.finished().map { String(format: "%02x", $0) }.joined() == expected)
    }

    @Test func emptyArchiveIsItsEnd() {
        #expect(ZIPArchive().finished() == [0x50, 0x4B, 5, 6] + Array(repeating: 0, count: 18))
    }

    @Test(.enabled(if: InstalledPrograms.areAllowed)) func pythonReadsAllFiles() async throws {
        let folder = try TemporaryFolder()
        var archive = ZIPArchive()
        let contents = (0..<20).map { number in [UInt8](repeating: UInt8(number), count: number * 1000) }
        for (number, content) in contents.enumerated() {
            archive.append("\(number).fit", content, at: Self.evening)
        }
        try Data(archive.finished()).write(to: URL(fileURLWithPath: folder.path("all.zip")))
        let script = """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1])
            print(archive.testzip(), archive.infolist()[19].date_time, [one.file_size for one in archive.infolist()])
            """
        let reader = try ChildProcess("python3", ["-c", script, folder.path("all.zip")])
        #expect(await reader.waitForExit() == 0)
        let sizes = contents.map { "\($0.count)" }.joined(separator: ", ")
        #expect(reader.text == "None (2026, 11, 26, 18, 2, 30) [\(sizes)]\n")
    }
}
