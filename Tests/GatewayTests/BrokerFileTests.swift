import Foundation
import TestSupport
import Testing

@testable import Gateway
@testable import Settings

/// Files that the broker's settings refer to.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct BrokerFileTests {
    @Test func reportsEveryInvalidFileAtItsLine() async throws {
        let authority = try await CertificateAuthority()
        let (one, two) = (try await authority.issue("one"), try await authority.issue("two"))
        let configuration = try configuration(
            anyErg + """
                [broker]
                tls = true
                password_file = "/nonexistent/password"
                ca_file = "\(one.key)"
                cert_file = "\(one.certificate)"
                key_file = "\(two.key)"
                """)
        let (problems, unchecked) = configuration.fileProblems(credentialsDirectory: nil)
        #expect(unchecked == [])
        #expect(
            problems.map { $0.description.split(separator: ": ").prefix(2).joined(separator: ": ") }
                == [
                    "rowgate.toml:4:1: broker.password_file", "rowgate.toml:5:1: broker.ca_file",
                    "rowgate.toml:7:1: broker.key_file",
                ])
        #expect(problems.allSatisfy { $0.suggestion != nil })
        #expect(problems[0].reason.contains("No such file or directory"))
        #expect(problems[1].reason.contains("holds no certificate"))
        #expect(problems[2].reason.contains("is not the key of the certificate"))
    }

    @Test func readsCredentialsFromSystemd() async throws {
        let authority = try await CertificateAuthority()
        let identity = try await authority.issue("gateway")
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: identity.key, toPath: folder.path("key"))
        try "secret\n".write(toFile: folder.path("password"), atomically: true, encoding: .utf8)
        let configuration = try configuration(
            anyErg + """
                [broker]
                tls = true
                password_file = "password"
                cert_file = "\(identity.certificate)"
                key_file = "key"
                """)
        let broker = try configuration.brokerConfiguration(credentialsDirectory: folder.path)
        #expect(broker.password == "secret")
        #expect(broker.tls?.keyFile == folder.path("key"))
        #expect(throws: InvalidConfiguration.self) {
            try configuration.brokerConfiguration(credentialsDirectory: nil)
        }
        let (problems, unchecked) = configuration.fileProblems(credentialsDirectory: nil)
        #expect(problems == [])
        #expect(unchecked == ["broker.password_file", "broker.key_file"])
    }
}
