import Foundation
import TestSupport
import Testing

/// The daemon with a TLS broker and with Home Assistant discovery.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct BrokerConnectionTests {
    private static func room(
        brokerOptions: [String] = ["allow_anonymous true"]
    ) async throws -> SimulatedRoom {
        try await SimulatedRoom(
            ergs: 1, simulator: "--workout just-row --speed 4 --link-speed 4".words,
            brokerOptions: brokerOptions)
    }

    /// Two listeners: one requires client certificates and passwords, the other has an expired
    /// certificate. Certificate, key and password are systemd credentials. Recording continues
    /// throughout.
    @Test(.timeLimit(.minutes(30)))
    func namesEachTLSProblem() async throws {
        let authority = try await CertificateAuthority()
        let untrusted = try await CertificateAuthority("untrusted")
        let (valid, expired) = (
            try await authority.issue("broker"), try await authority.issue("late", days: -1)
        )
        let client = try await authority.issue("gateway")
        let (untrustedClient, expiredClient) = (
            try await untrusted.issue("foreign"), try await authority.issue("old", days: -1)
        )
        let credentials = try TemporaryFolder()
        let passwords = try await PrivateBroker.passwordFile(["test": "right"], in: credentials)
        let (port, expiredPort) = (try PrivateBroker.freePort(), try PrivateBroker.freePort())
        let room = try await Self.room(brokerOptions: [
            "per_listener_settings true", "allow_anonymous true",
            "listener \(port) 127.0.0.1", "certfile \(valid.certificate)",
            "keyfile \(valid.key)", "cafile \(authority.certificate)",
            "require_certificate true", "allow_anonymous false",
            "password_file \(passwords)",
            "listener \(expiredPort) 127.0.0.1", "certfile \(expired.certificate)",
            "keyfile \(expired.key)", "allow_anonymous true",
        ])

        /// Starts a gateway with these files, and stops it after it has recorded strokes and reported
        /// `problem`.
        func expect(
            _ problem: String?, port: UInt16, authority file: String,
            _ identity: CertificateAuthority.Identity, password: String
        ) async throws {
            for (name, content) in [
                ("cert", try String(contentsOfFile: identity.certificate, encoding: .utf8)),
                ("key", try String(contentsOfFile: identity.key, encoding: .utf8)),
                ("password", password + "\n"),
            ] {
                try content.write(
                    toFile: credentials.path(name), atomically: true, encoding: .utf8)
            }
            try room.configure(
                """
                [broker]
                port = \(port)
                tls = true
                ca_file = "\(file)"
                cert_file = "cert"
                key_file = "key"
                username = "test"
                password_file = "password"

                """, inFile: "tls.toml")
            let before = room.truth.count { $0["kind"] as? String == "stroke" }
            let gateway = try await room.startGateway(
                environment: ["CREDENTIALS_DIRECTORY": credentials.path])
            let isRecorded = await eventually {
                room.truth.count { $0["kind"] as? String == "stroke" } >= before + 2
            }
            #expect(isRecorded, "\(gateway.text)")
            if let problem {
                #expect(await eventually { gateway.text.contains(problem) }, "\(gateway.text)")
                // An attempt may end before the broker's alert is read; the gateway retries.
                let isReported = await eventually {
                    (try? await room.control(["status"]))?.text.contains(problem) ?? false
                }
                #expect(isReported, "\(gateway.text)")
                let broker = try await room.status()["broker"] as? [String: Any]
                #expect(broker?["backlog_messages"] as? Int ?? 0 > 0)
            } else {
                let strokes = { room.messages(ofKind: "stroke").map { $0.fields["seq"] as? Int } }
                let isDelivered = await eventually { strokes().count > before }
                #expect(isDelivered, "\(gateway.text)")
                let numbers = strokes()
                #expect(numbers == Array(1...numbers.count))
            }
            gateway.signal(SIGTERM)
            let status = await gateway.waitForExit()
            #expect(status == 0, "\(gateway.text)")
        }

        let trusted = authority.certificate
        try await expect(
            "not signed by an authority that is trusted here; set broker.ca_file", port: port,
            authority: untrusted.certificate, client, password: "right")
        try await expect(
            "the broker's certificate, or one above it, has expired", port: expiredPort,
            authority: trusted, client, password: "right")
        try await expect(
            "the broker refuses our certificate", port: port, authority: trusted, untrustedClient,
            password: "right")
        try await expect(
            "the broker says that our certificate has expired", port: port, authority: trusted, expiredClient,
            password: "right")
        try await expect(
            "it does not accept this user name and password; check broker.username", port: port,
            authority: trusted, client, password: "wrong")
        try await expect(nil, port: port, authority: trusted, client, password: "right")
        room.expectUniqueRecords()

        try room.configure(
            "[broker]\ntls = true\nca_file = \"/nonexistent/ca.pem\"\n", inFile: "tls.toml")
        let check = try ChildProcess(
            SimulatedRoom.program("rowgate"),
            ["--config", room.folder.path("rowgate.toml"), "--check-config"])
        #expect(await check.waitForExit() == 78)
        let problem = "conf.d/tls.toml:3:1: broker.ca_file: /nonexistent/ca.pem cannot be read"
        #expect(await eventually { check.text.contains(problem) }, "\(check.text)")
    }

    /// The second start has no `[[erg]]` entry for the guest erg.
    @Test(.timeLimit(.minutes(30)))
    func clearsAFormerErg() async throws {
        let room = try await Self.room()
        try room.configure(
            """
            homeassistant.discovery = "always"
            [[erg]]
            slug = "guest"
            serial = "430000077"
            """, inFile: "guest.toml")
        let devices = try await MosquittoSubscriber(room.broker, "homeassistant/device/+/config")
        let first = try await room.startGateway()
        let topic = "homeassistant/device/rowgate-test-guest/config"
        #expect(
            await eventually { devices.messages.contains { $0.topic == topic } }, "\(first.text)")
        #expect(await first.terminate() == 0)
        try room.configure("homeassistant.discovery = \"always\"\n", inFile: "guest.toml")
        let second = try await room.startGateway()
        #expect(
            await eventually { devices.messages.last { $0.topic == topic }?.payload == "" },
            "\(second.text)")
        #expect(
            await eventually {
                room.messages.last { $0.kind == "availability" && $0.erg == "guest" }?.payload == ""
            })
        #expect(
            devices.messages.last { $0.topic.contains("test-erg-1") }?.payload.isEmpty == false)
        #expect(await second.terminate() == 0)
    }
}
