import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct CertificateExpiryTests {
    /// The certificate dates of a connection that `broker` accepted.
    private static func ends(
        _ broker: PrivateBroker, _ tls: BrokerConfiguration.TLSConfiguration?
    ) async throws -> CertificateExpiry? {
        var configuration = BrokerConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "ends")
        configuration.tls = tls
        let found = Mutex<CertificateExpiry?>(nil)
        let connection = try MQTTConnection(configuration, will: nil) { event in
            if case .connected(let terms) = event { found.withLock { $0 = terms.certificates } }
        }
        connection.start()
        try #require(await eventually { found.withLock { $0 != nil } })
        connection.abandon()
        return found.withLock { $0 }
    }

    /// Unix milliseconds, by the openssl program and date.
    private static func end(of certificate: String) async throws -> Int64 {
        let script =
            "date -d \"$(openssl x509 -noout -enddate -in '\(certificate)' | cut -d= -f2)\" +%s"
        let process = try ChildProcess("sh", ["-c", script])
        try #require(await process.waitForExit() == 0, "\(process.text)")
        return try #require(Int64(process.lines[0])) * 1000
    }

    @Test func readsBothExpiryDates() async throws {
        // Compared with openssl, for brokers with and without client certificates, and
        // one without TLS.
        let authority = try await CertificateAuthority()
        let (theirs, ours) = (
            try await authority.issue("broker", days: 40), try await authority.issue("us", days: 7)
        )
        let server = ["certfile \(theirs.certificate)", "keyfile \(theirs.key)"]
        let open = try await PrivateBroker.running(options: server + ["allow_anonymous true"])
        let strict = try await PrivateBroker.running(
            options: server + [
                "allow_anonymous true", "cafile \(authority.certificate)",
                "require_certificate true",
            ])
        let (broker, own) = (
            try await Self.end(of: theirs.certificate), try await Self.end(of: ours.certificate)
        )
        #expect(
            try await Self.ends(
                strict,
                .init(
                    authorityFile: authority.certificate, certificateFile: ours.certificate,
                    keyFile: ours.key)) == CertificateExpiry(broker: broker, own: own))
        #expect(
            try await Self.ends(open, .init(authorityFile: authority.certificate))
                == CertificateExpiry(broker: broker))
        #expect(try await Self.ends(.running(), nil) == CertificateExpiry())
    }

    @Test func warnsFromNoticePeriodOn() {
        let now: Int64 = 1_788_627_000_000
        let notice = CertificateExpiry.noticeMilliseconds
        #expect(CertificateExpiry().warnings(at: now) == [])
        #expect(CertificateExpiry(broker: now + notice, own: now + notice).warnings(at: now) == [])
        let soon = CertificateExpiry(broker: now + notice - 1, own: now - 1).warnings(at: now)
        #expect(
            soon.map(\.message) == [
                "the broker's certificate ends on 2026-09-19",
                "our certificate for the broker ended on 2026-09-05",
            ])
        #expect(soon.map(\.remedy) == ["renew it at the broker", "renew broker.cert_file"])
    }
}
