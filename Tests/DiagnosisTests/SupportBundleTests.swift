import Foundation
import TestSupport
import Testing

@testable import Diagnosis

@Suite struct SupportBundleTests {
    private static let removed: [(String, String)] = [
        (
            #"username = "boathouse"  # rowgate.toml:7"#,
            #"username = "(removed)"  # rowgate.toml:7"#
        ),
        (#"password_file = "/etc/a \" b"  # x"#, #"password_file = "(removed)"  # x"#),
        (#"  "athlete_id" : "ann","#, #"  "athlete_id" : "(removed)","#),
        (
            #"{"power_w":203,"heart_rate_bpm":142}"#, #"{"power_w":203,"heart_rate_bpm":null}"#
        ),
        ("assigned athlete=ann erg=erg-1", "assigned athlete=(removed) erg=erg-1"),
        ("port = 1883  # default", "port = 1883  # default"),
        ("mqtt: hunter2 is wrong", "mqtt: (removed) is wrong"),
        ("12:00:01 rowgate[7]: ready", "12:00:01 rowgate[7]: ready"),
        ("password =", "password ="), ("", ""),
    ]

    @Test(arguments: removed)
    func removesSecretsAndAthletes(line: String, expected: String) {
        let text = Redaction(includesAthletes: false, literals: ["hunter2", ""]).apply(to: line)
        #expect(text == expected)
    }

    @Test func keepsAthletesOnRequest() {
        let text = Redaction(includesAthletes: true).apply(to: "athlete=ann\npassword=b")
        #expect(text == "athlete=ann\npassword=(removed)")
    }

    @Test func redactedJSONIsStillJSON() throws {
        let json =
            #"{"erg":{"athlete_id":"ann","x":1},"username":"a\"b","heart_rate_bpm":1.5,"password":null}"#
        let pretty = try JSONSerialization.data(
            withJSONObject: JSONSerialization.jsonObject(with: Data(json.utf8)),
            options: .prettyPrinted)
        let text = Redaction(includesAthletes: false).apply(
            to: String(decoding: pretty, as: UTF8.self))
        #expect(throws: Never.self) {
            try JSONSerialization.jsonObject(with: Data(text.utf8))
        }
        #expect(!text.contains("1.5"))
        #expect(!text.contains("ann"))
        #expect(!text.contains("a\\\"b"))
    }

    @Test(.enabled(if: InstalledPrograms.areAllowed))
    func tarReadsTheArchive() async throws {
        // Files around the size of a block.
        let folder = try TemporaryFolder()
        var archive = TarArchive(modified: 1_700_000_000)
        let sizes = [0, 1, 511, 512, 513, 5000]
        for size in sizes {
            archive.add("a/\(size)", [UInt8](repeating: UInt8(ascii: "x"), count: size))
        }
        try Data(archive.finished).write(to: URL(fileURLWithPath: folder.path("a.tar")))
        let list = try ChildProcess("tar", ["-tf", folder.path("a.tar")])
        #expect(await list.waitForExit() == 0)
        #expect(list.lines == sizes.map { "a/\($0)" })
        let extraction = try ChildProcess("tar", ["-xf", folder.path("a.tar"), "-C", folder.path])
        #expect(await extraction.waitForExit() == 0, "\(extraction.text)")
        for size in sizes {
            let file = try Data(contentsOf: URL(fileURLWithPath: folder.path("a/\(size)")))
            #expect(file.count == size)
            #expect(file.allSatisfy { $0 == UInt8(ascii: "x") })
        }
    }
}
