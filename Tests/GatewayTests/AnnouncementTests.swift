import AvahiClient
import Testing

@testable import Gateway

struct AnnouncementTests {
    private func announcement(
        _ broker: String, gateway: String = "", isOpen: Bool = true
    ) throws -> Announcement? {
        let text = anyErg + "[gateway]\nid = \"north\"\n\(gateway)\n[broker]\n\(broker)\n"
        return try configuration(text).announcement(hostName: "boathouse") { _ in isOpen }
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.0.1.1", "::1", "boathouse", "Boathouse.local"])
    func brokerOfThisMachineIsAnnouncedIfItIsOpen(host: String) throws {
        let found = try announcement("host = \"\(host)\"\nport = 1884\ntopic_prefix = \"club/north\"")
        #expect(
            found
                == Announcement(
                    name: "rowgate north",
                    services: [
                        .init(
                            "_rowgate._tcp", port: 1884,
                            text: ["id": "north", "prefix": "club/north", "contract": "v1"]),
                        .init("_mqtt._tcp", port: 1884),
                    ]))
        #expect(try announcement("host = \"\(host)\"", isOpen: false) == nil)
    }

    @Test(arguments: ["broker.example.org", "192.0.2.7", "boathouse.example.org", "localhost.example.org"])
    func brokerOfAnotherMachineIsOnlyNamed(host: String) throws {
        let found = try #require(try announcement("host = \"\(host)\"", isOpen: false))
        #expect(found.services.map(\.type) == ["_rowgate._tcp"])
        #expect(found.services[0].text == ["id=north", "prefix=rowgate", "contract=v1", "broker=\(host)"])
    }

    @Test func encryptedBrokerHasItsOwnType() throws {
        let services = try #require(try announcement("tls = true")).services
        #expect(services.map(\.type) == ["_rowgate._tcp", "_secure-mqtt._tcp"])
        #expect(services.map(\.port) == [8883, 8883])
        #expect(services[0].text.contains("tls=1"))
    }

    @Test func nothingIsAnnouncedIfSwitchedOff() throws {
        #expect(try announcement("", gateway: "mdns = false") == nil)
        #expect(try announcement("", gateway: "mdns = true") != nil)
    }
}
