import Foundation
import TestSupport
import Testing

@testable import Diagnosis

/// The doctor's findings about a broker, with a real mosquitto for each fault.
///
/// `ROWGATE_UPDATE_GOLDEN=1` updates Golden/broker.txt.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct BrokerFindingsTests {
    @Test func reportsEveryRefusal() async throws {
        let site = try await Site()
        let settings = try site.settings
        let secured = try await site.broker(site.identity("broker"))
        let otherAuthority = try await CertificateAuthority("stranger")
        var room = Transcript()
        await room.add("all is right", secured, settings)
        await room.add(
            "the access list",
            try await site.broker(site.identity("reader"), access: "topic read #"), settings)
        await room.add(
            "the password", secured, settings.with("password_file", try site.file("wrong\n")))
        await room.add(
            "another authority", secured, settings.with("ca_file", otherAuthority.certificate))
        await room.add(
            "a certificate of yesterday",
            try await site.broker(site.identity("late", days: -1)), settings)
        await room.add(
            "a certificate for another name",
            try await site.broker(site.identity("other", alternative: "DNS:hub.example")), settings)
        await room.add(
            "no certificate of our own",
            try await site.broker(
                site.identity("strict"),
                ["cafile \(site.authority.certificate)", "require_certificate true"]), settings)
        await room.add("TLS where there is none", try await site.broker(), settings)
        await room.add(
            "none where there is TLS", secured, settings.without("tls").without("ca_file"))
        await room.add("nobody listens", try PrivateBroker(), settings)
        let text = room.text
        #expect(try text == goldenText("broker.txt", for: text), "\(text)")
    }
}

/// Certificates, a password and an access list, and settings that fit them.
private struct Site {
    let folder: TemporaryFolder
    let authority: CertificateAuthority
    private let passwords: String

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await CertificateAuthority()
        passwords = try await PrivateBroker.passwordFile(["pi": "secret"], in: folder)
    }

    func identity(
        _ name: String, alternative: String = "IP:127.0.0.1", days: Int = 2
    ) async throws -> CertificateAuthority.Identity {
        try await authority.issue(name, alternative: alternative, days: days)
    }

    /// A broker for the user `pi` alone; encrypted when it has a certificate.
    ///
    /// - Parameter access: what its access list grants.
    func broker(
        _ identity: CertificateAuthority.Identity? = nil, _ options: [String] = [],
        access: String = "topic readwrite rowgate/v1/boathouse/#"
    ) async throws -> PrivateBroker {
        let list = try file("user pi\n\(access)\n")
        let encryption = identity.map { ["certfile \($0.certificate)", "keyfile \($0.key)"] }
        return try await .running(
            options: ["password_file \(passwords)", "acl_file \(list)"] + (encryption ?? [])
                + options)
    }

    /// A new file with that content; its path.
    func file(_ content: String) throws -> String {
        try PrivateBroker.file(content, named: UUID().uuidString, in: folder)
    }

    var settings: BrokerSettings {
        get throws {
            BrokerSettings(lines: [
                "username": "\"pi\"", "password_file": "\"\(try file("secret\n"))\"",
                "tls": "true", "ca_file": "\"\(authority.certificate)\"",
            ])
        }
    }
}

/// The keys of `[broker]` but host and port, with their values as TOML writes them.
private struct BrokerSettings {
    var lines: [String: String]

    func with(_ key: String, _ path: String) -> BrokerSettings {
        BrokerSettings(lines: lines.merging([key: "\"\(path)\""]) { $1 })
    }

    func without(_ key: String) -> BrokerSettings {
        BrokerSettings(lines: lines.filter { $0.key != key })
    }

    func effective(_ broker: PrivateBroker) -> EffectiveSettings {
        let lines = lines.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)  # a" }
        return EffectiveSettings(broker, lines.joined(separator: "\n"))
    }
}

/// Findings, each case below its title; ports and times, which vary, are masked.
private struct Transcript {
    private(set) var text = ""

    mutating func add(_ title: String, _ broker: PrivateBroker, _ settings: BrokerSettings) async {
        let facts = await BrokerProbe(timeLimit: patience).facts(settings.effective(broker))
        let report = DoctorReport(Checkup.broker(facts))
        text += "# \(title)\n"
        text += report.lines.dropLast(2).rendered(inColour: false)
            .replacingOccurrences(of: ":\(broker.port)", with: ":PORT")
            .replacing(/in \d+ ms/, with: "in N ms")
        text += "\n"
    }
}
