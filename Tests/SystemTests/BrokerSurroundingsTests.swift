import Foundation
import TestSupport
import Testing

/// The daemon with a broker that wants TLS, and with Home Assistant on it.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct BrokerSurroundingsTests {
    private static func room(
        brokerOptions: [String] = ["allow_anonymous true"]
    ) async throws -> SimulatedRoom {
        try await SimulatedRoom(
            ergs: 1, simulator: "--workout just-row --speed 4 --link-speed 4".words,
            brokerOptions: brokerOptions)
    }

    /// Goal: each thing that can be wrong between the gateway and an encrypted broker is said by
    /// its name while recording goes on, and once all is right the records of all that time arrive.
    /// Method: a broker with client certificates and passwords, and one whose certificate has
    /// expired; wrong files one after the other, certificate, key and password by the names of
    /// credentials, in a folder as systemd makes it.
    @Test(.timeLimit(.minutes(30)))
    func whateverIsWrongIsNamed() async throws {
        let authority = try await CertificateAuthority()
        let stranger = try await CertificateAuthority("stranger")
        let (right, late) = (
            try await authority.issue("broker"), try await authority.issue("late", days: -1)
        )
        let client = try await authority.issue("gateway")
        let (foreign, old) = (
            try await stranger.issue("foreign"), try await authority.issue("old", days: -1)
        )
        let credentials = try TemporaryFolder()
        let maker = try ChildProcess(
            "mosquitto_passwd", ["-b", "-c", credentials.path("users"), "test", "right"])
        #expect(await maker.waitForExit() == 0, "\(maker.text)")
        let (port, latePort) = (try PrivateBroker.freePort(), try PrivateBroker.freePort())
        let room = try await Self.room(brokerOptions: [
            "per_listener_settings true", "allow_anonymous true",
            "listener \(port) 127.0.0.1", "certfile \(right.certificate)",
            "keyfile \(right.key)", "cafile \(authority.certificate)",
            "require_certificate true", "allow_anonymous false",
            "password_file \(credentials.path("users"))",
            "listener \(latePort) 127.0.0.1", "certfile \(late.certificate)",
            "keyfile \(late.key)", "allow_anonymous true",
        ])

        /// Starts a gateway with these files, and ends it once it has said `words` and recorded on.
        func expect(
            _ words: String?, port: UInt16, authority file: String,
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
            if let words {
                #expect(await eventually { gateway.text.contains(words) }, "\(gateway.text)")
                // An attempt may end before the broker's words are read; another one follows.
                let isNamed = await eventually {
                    (try? await room.control(["status"]))?.text.contains(words) ?? false
                }
                #expect(isNamed, "\(gateway.text)")
                let broker = try await room.status()["broker"] as? [String: Any]
                #expect(broker?["backlog_messages"] as? Int ?? 0 > 0)
            } else {
                let strokes = { room.messages(ofKind: "stroke").map { $0.fields["seq"] as? Int } }
                let isThere = await eventually { strokes().count > before }
                #expect(isThere, "\(gateway.text)")
                let numbers = strokes()
                #expect(numbers == Array(1...numbers.count))
            }
            gateway.signal(SIGTERM)
            let status = await gateway.waitForExit()
            #expect(status == 0, "\(gateway.text)")
        }

        let ours = authority.certificate
        try await expect(
            "not signed by an authority that is trusted here; set broker.ca_file", port: port,
            authority: stranger.certificate, client, password: "right")
        try await expect(
            "the broker's certificate, or one above it, has expired", port: latePort,
            authority: ours, client, password: "right")
        try await expect(
            "the broker refuses our certificate", port: port, authority: ours, foreign,
            password: "right")
        try await expect(
            "the broker says that our certificate has expired", port: port, authority: ours, old,
            password: "right")
        try await expect(
            "it does not accept this user name and password; check broker.username", port: port,
            authority: ours, client, password: "wrong")
        try await expect(nil, port: port, authority: ours, client, password: "right")
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

    /// Goal: an erg that leaves the configuration leaves Home Assistant, and the broker keeps
    /// nothing of it. Method: a second place in a file of its own, which is gone at the second start.
    @Test(.timeLimit(.minutes(30)))
    func formerErgIsForgotten() async throws {
        let room = try await Self.room()
        try room.configure(
            """
            homeassistant.discovery = "always"
            [[erg]]
            slug = "guest"
            serial = "430000077"
            """, inFile: "guest.toml")
        let devices = try await StrangerSubscriber(room.broker, "homeassistant/device/+/config")
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
