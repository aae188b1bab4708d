import Foundation
import TestSupport
import Testing

/// The daemon with a broker that wants TLS, and with Home Assistant on it.
struct BrokerSurroundingsTests {
    private static func room(
        brokerOptions: [String] = ["allow_anonymous true"]
    ) async throws -> SimulatedRoom {
        try await SimulatedRoom(
            ergs: 1,
            simulator: [
                "--ergs", "1", "--workout", "just-row", "--speed", "4", "--link-speed", "4",
            ],
            brokerOptions: brokerOptions)
    }

    /// Goal: a wrong authority is said where people look, costs no stroke, and is mended by naming
    /// the right one. Method: a second, encrypted listener; first with a stranger's certificate.
    @Test(.timeLimit(.minutes(2)))
    func wrongAuthorityCostsNoStroke() async throws {
        let authority = try await CertificateAuthority()
        let stranger = try await CertificateAuthority("stranger")
        let identity = try await authority.issue("broker")
        let port = try PrivateBroker.freePort()
        let room = try await Self.room(brokerOptions: [
            "allow_anonymous true", "listener \(port) 127.0.0.1",
            "certfile \(identity.certificate)", "keyfile \(identity.key)",
        ])
        func encrypt(_ certificate: String) throws {
            try room.configure(
                "[broker]\nport = \(port)\ntls = true\nca_file = \"\(certificate)\"\n",
                inFile: "tls.toml")
        }
        try encrypt(stranger.certificate)
        let first = try await room.startGateway()
        let strokes = { room.truth.count { $0["kind"] as? String == "stroke" } }
        try #require(await eventually(within: .seconds(40)) { strokes() >= 3 }, "\(first.text)")
        let words = "not signed by an authority that is trusted here; set broker.ca_file"
        let status = try await room.control(["status"])
        #expect(status.status == 1)
        #expect(status.text.contains(words), "\(status.text)")
        #expect(first.text.contains(words), "\(first.text)")
        first.signal(SIGTERM)
        #expect(await first.waitForExit(within: .seconds(10)) == 0)

        try encrypt(authority.certificate)
        let second = try await room.startGateway()
        #expect(
            await eventually(within: .seconds(40)) { room.strokeCounts[0] >= 3 }, "\(second.text)")
        #expect(room.messages(ofKind: "stroke").first?.fields["stroke"] as? Int == 1)
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
    @Test(.timeLimit(.minutes(2)))
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
        first.signal(SIGTERM)
        #expect(await first.waitForExit(within: .seconds(10)) == 0)
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
        second.signal(SIGTERM)
        #expect(await second.waitForExit(within: .seconds(10)) == 0)
    }
}
