import Foundation
import TestSupport
import Testing

@testable import Gateway
@testable import Settings

@Suite struct ConfigurationFileTests {
    private static let example = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../config/rowgate.toml")

    @Test func exampleIsValidAsShipped() throws {
        let configuration = try Configuration.load(from: Self.example.path)
        #expect(configuration.bluetooth.discovery == .any)
    }

    @Test func exampleShowsEveryKeyWithItsDefault() throws {
        let shown = try configuration(try Self.exampleWithEveryKey())
        let defaults = try configuration(anyErg)
        let keys = shown.settings.filter { $0.origin != .builtIn }
        #expect(keys.count == shown.settings.count)
        #expect(shown.broker.host == defaults.broker.host)
        let ofErgs = shown.settings.filter { $0.section.hasPrefix("erg[") }
        let limits = [
            "heart_rate_max_bpm", "pace_min_s", "pace_max_s", "rate_min_spm", "rate_max_spm",
            "drag_min", "drag_max",
        ]
        let switches = [
            "stopped", "link_lost", "battery_low", "power_collapse", "heart_rate_lost",
            "battery_min_pct",
        ]
        #expect(
            ofErgs.map(\.key)
                == ["slug", "serial", "carrier", "relay"] + (switches + limits).map { "alert_" + $0 })
        let ofWorkouts = shown.settings.filter { $0.section.hasPrefix("workout[") }
        #expect(ofWorkouts.map(\.key) == ["name", "row"])
        #expect(shown.crews.map(\.id.slug) == ["first-four"])
        let ofRoom = shown.settings.filter { !$0.section.contains("[") }
        #expect(ofRoom.map(\.key) == defaults.settings.map(\.key))
        let withoutDefault =
            limits + [
                "tls", "username", "password_file", "ca_file", "cert_file", "key_file", "slots",
                "discovery", "roster", "max_publish_per_s",
            ]
        for (shown, expected) in zip(ofRoom, defaults.settings)
        where !withoutDefault.contains(shown.key) {
            #expect(shown.value == expected.value, "\(shown.section).\(shown.key)")
        }
    }

    @Test func readsTheFolderInOrderOfNames() throws {
        let folder = try TemporaryFolder()
        try write(anyErg + "broker.port = 1", to: folder.path("rowgate.toml"))
        try FileManager.default.createDirectory(
            atPath: folder.path("conf.d"), withIntermediateDirectories: false)
        try write("broker.port = 3", to: folder.path("conf.d/20.toml"))
        try write("broker.port = 2", to: folder.path("conf.d/10.toml"))
        try write("broker.port = 4", to: folder.path("conf.d/30.toml.dpkg-old"))
        try write("broker.port = 5", to: folder.path("conf.d/.40.toml"))
        #expect(try Configuration.load(from: folder.path("rowgate.toml")).broker.port == 3)
    }

    @Test func unreadableFileNamesItselfAndTheCause() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("missing.toml")
        #expect {
            try Configuration.load(from: missing)
        } throws: { error in
            "\(error)".hasPrefix("\(missing): cannot be read: No such file or directory; ")
        }
        #expect {
            try Configuration.load(from: folder.path)
        } throws: { error in
            "\(error)".hasPrefix("\(folder.path): cannot be read: Is a directory; ")
        }
    }

    @Test func refusesAHugeFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("rowgate.toml")
        let limit = ConfigurationFolder.maximumFileSize
        try write(anyErg + String(repeating: "#", count: limit - anyErg.utf8.count), to: path)
        #expect(throws: Never.self) { try Configuration.load(from: path) }
        try write(String(repeating: "#", count: limit + 1), to: path)
        #expect(throws: InvalidConfiguration.self) { try Configuration.load(from: path) }
    }

    /// The parser's own assertions once ended the process on these headers.
    @Test(arguments: ["[=]", "[[=]]", "[$x]\n", "[\u{1}", "[a.=]"])
    func headerWithoutAKeyIsAnError(text: String) {
        #expect {
            try configuration(anyErg + text)
        } throws: { error in
            (error as? InvalidConfiguration)?.problems.contains { $0.place.line == 2 } == true
        }
    }

    @Test func mutatedExampleNeverCrashes() throws {
        let seed: UInt64 = 20
        var random = SeededGenerator(seed: seed)
        let text = Array(try Self.exampleWithEveryKey().utf8)
        var valid = 0
        for round in 0..<2000 {
            var mutated = text
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: mutated.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: mutated[index] = UInt8.random(in: 0...255, using: &random)
                case 1: mutated.remove(at: index)
                default: mutated.insert(contentsOf: Array("[\"=1\n".utf8), at: index)
                }
            }
            let sources = [Configuration.Source(path: "rowgate.toml", text: mutated)]
            do {
                let configuration = try Configuration.parse(sources, hostName: "boathouse")
                #expect((1...65535).contains(configuration.broker.port))
                valid += 1
            } catch {
                #expect(!error.problems.isEmpty, "seed \(seed) round \(round)")
            }
        }
        #expect((1..<2000).contains(valid), "mutations must reach past the syntax")
    }

    @Test func passwordIsTheFirstLine() throws {
        let folder = try TemporaryFolder()
        try write("secret\n", to: folder.path("mqtt"))
        try write("\n", to: folder.path("empty"))
        let credential = CredentialFile(name: "mqtt")
        #expect(try credential.password(credentialsDirectory: folder.path) == "secret")
        let file = CredentialFile(name: folder.path("mqtt"))
        #expect(try file.password(credentialsDirectory: nil) == "secret")
        #expect(throws: ConfigurationFault.self) {
            try CredentialFile(name: folder.path("empty")).password(credentialsDirectory: nil)
        }
        #expect {
            try credential.password(credentialsDirectory: nil)
        } throws: { error in
            "\(error)".contains("add LoadCredential=mqtt:/etc/rowgate/mqtt")
        }
    }

    private static func exampleWithEveryKey() throws -> String {
        try String(contentsOf: example, encoding: .utf8)
            .replacing(/(?m)^#(?=\[\[|[a-z_]+ = )/, with: "")
            // The TLS files are invalid without TLS.
            .replacing("tls = false", with: "tls = true")
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }
}
