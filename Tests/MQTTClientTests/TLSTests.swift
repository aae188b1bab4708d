import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

/// TLS against a real mosquitto, with certificates that openssl made a moment ago.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed)) struct TLSTests {
    private typealias TLS = BrokerConfiguration.TLSConfiguration

    /// A broker with a certificate.
    private static func broker(
        _ identity: CertificateAuthority.Identity, _ options: [String] = ["allow_anonymous true"]
    ) async throws -> PrivateBroker {
        try await .running(
            options: ["certfile \(identity.certificate)", "keyfile \(identity.key)"] + options)
    }

    /// Connects once; returns nil if the broker accepted, otherwise the failure.
    private static func failure(
        _ broker: PrivateBroker, _ tls: TLS?, password: String? = nil
    ) async throws -> BrokerFailure? {
        var configuration = BrokerConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "rowgate-boathouse")
        configuration.tls = tls
        configuration.username = password.map { _ in "boathouse" }
        configuration.password = password
        let will = LastWill(topic: "t", payload: [], delaySeconds: 0)
        let outcome = Mutex<Result<Void, BrokerFailure>?>(nil)
        let connection = try MQTTConnection(configuration, will: will) { event in
            outcome.withLock { outcome in
                switch event {
                case .connected: outcome = outcome ?? .success(())
                case .ended(let failure?): outcome = outcome ?? .failure(failure)
                default: break
                }
            }
        }
        connection.start()
        try #require(await eventually { outcome.withLock { $0 != nil } })
        connection.abandon()
        guard case .failure(let failure) = outcome.withLock({ $0 }) else { return nil }
        return failure
    }

    @Test func rejectsInvalidBrokerCertificates() async throws {
        // Another authority's, an expired one, another host's, and a broker without TLS.
        let authority = try await CertificateAuthority()
        let tls = TLS(authorityFile: authority.certificate)
        let good = try await Self.broker(authority.issue("good"))
        #expect(try await Self.failure(good, tls) == nil)

        let otherAuthority = try await CertificateAuthority("stranger")
        let unknown = try await Self.failure(good, TLS(authorityFile: otherAuthority.certificate))
        #expect(unknown?.cause.contains("not signed by an authority") == true, "\(unknown as Any)")
        #expect(unknown?.remedy?.contains("broker.ca_file") == true)

        let system = try await Self.failure(good, TLS())
        #expect(system?.cause == unknown?.cause, "the system's authorities: \(system as Any)")

        let expired = try await Self.failure(
            Self.broker(authority.issue("expired", days: -1)), tls)
        #expect(expired?.cause.contains("has expired") == true, "\(expired as Any)")

        let other = try await Self.failure(
            Self.broker(authority.issue("other", alternative: "DNS:other.example")), tls)
        #expect(
            other?.cause == "the broker's certificate is for another name than 127.0.0.1",
            "\(other as Any)")

        let plain = try await Self.failure(PrivateBroker.running(), tls)
        #expect(plain?.cause == "the broker does not speak TLS on this port", "\(plain as Any)")
    }

    @Test func reportsRejectedClientCertificates() async throws {
        // None, another authority's, an expired one.
        let authority = try await CertificateAuthority()
        let broker = try await Self.broker(
            authority.issue("broker"),
            [
                "allow_anonymous true", "cafile \(authority.certificate)",
                "require_certificate true",
            ])
        func failure(_ identity: CertificateAuthority.Identity?) async throws -> BrokerFailure? {
            try await Self.failure(
                broker,
                TLS(
                    authorityFile: authority.certificate, certificateFile: identity?.certificate,
                    keyFile: identity?.key))
        }
        #expect(try await failure(authority.issue("gateway")) == nil)
        let missing = try await failure(nil)
        #expect(missing?.cause == "the broker wants a client certificate", "\(missing as Any)")
        let otherAuthority = try await CertificateAuthority("stranger")
        let strange = try await failure(otherAuthority.issue("gateway"))
        #expect(strange?.cause == "the broker refuses our certificate", "\(strange as Any)")
        let expired = try await failure(authority.issue("late", days: -1))
        #expect(
            expired?.cause == "the broker says that our certificate has expired",
            "\(expired as Any)")
    }

    @Test func reportsWrongPasswordOverTLS() async throws {
        let authority = try await CertificateAuthority()
        let folder = try TemporaryFolder()
        let passwords = try await PrivateBroker.passwordFile(["boathouse": "right"], in: folder)
        let broker = try await Self.broker(
            authority.issue("broker"),
            ["allow_anonymous false", "password_file \(passwords)"])
        let tls = TLS(authorityFile: authority.certificate)
        #expect(try await Self.failure(broker, tls, password: "right") == nil)
        let wrong = try await Self.failure(broker, tls, password: "wrong")
        #expect(wrong?.cause == "it does not accept this user name and password", "\(wrong as Any)")
        #expect(wrong?.remedy?.contains("broker.password_file") == true)
    }

    @Test func readsAllPacketsOfOneTLSRecord() async throws {
        // A server sends its CONNACK and three messages in one record, and then nothing.
        let authority = try await CertificateAuthority()
        let identity = try await authority.issue("broker")
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/one_record.py").path
        let server = try ChildProcess("python3", [program, identity.certificate, identity.key])
        try #require(await eventually { !server.lines.isEmpty })
        var configuration = BrokerConfiguration(
            host: "127.0.0.1", port: try #require(UInt16(server.lines[0])), clientID: "rowgate")
        configuration.tls = TLS(authorityFile: authority.certificate)
        let received = Mutex("")
        let connection = try MQTTConnection(
            configuration, will: LastWill(topic: "t", payload: [], delaySeconds: 0)
        ) { event in
            guard case .received(let message) = event else { return }
            received.withLock { $0 += String(decoding: message.payload, as: UTF8.self) }
        }
        connection.start()
        #expect(await eventually { received.withLock { $0 } == "123" })
        connection.abandon()
        server.signal(SIGKILL)
    }

    @Test func checksTLSFilesBeforeConnecting() async throws {
        // Right files, missing ones, a text file, swapped keys, and a key with a passphrase.
        let authority = try await CertificateAuthority()
        let (one, two) = (try await authority.issue("one"), try await authority.issue("two"))
        let good = TLS(
            authorityFile: authority.certificate, certificateFile: one.certificate,
            keyFile: one.key)
        #expect(good.faults() == [])
        let missing = TLS(
            authorityFile: "/nonexistent/a", certificateFile: "/nonexistent/b",
            keyFile: "/nonexistent/c")
        #expect(missing.faults().map(\.file) == [.authority, .certificate, .key])
        #expect(missing.faults().allSatisfy { $0.reason.contains("No such file or directory") })
        let text = TLS(authorityFile: one.key, certificateFile: one.key, keyFile: one.certificate)
        #expect(text.faults().map(\.file) == [.authority, .certificate, .key])
        let swapped = TLS(certificateFile: one.certificate, keyFile: two.key).faults()
        #expect(swapped.map(\.file) == [.key])
        #expect(swapped.first?.reason.contains("is not the key of the certificate") == true)

        let folder = try TemporaryFolder()
        let locker = try ChildProcess(
            "openssl",
            ["ec", "-in", one.key, "-aes256", "-passout", "pass:x", "-out", folder.path("key")])
        #expect(await locker.waitForExit() == 0, "\(locker.text)")
        let locked = TLS(certificateFile: one.certificate, keyFile: folder.path("key")).faults()
        #expect(locked.first?.reason.contains("without a passphrase") == true)
    }
}
