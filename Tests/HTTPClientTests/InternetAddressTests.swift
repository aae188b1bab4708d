import Testing

@testable import HTTPClient

struct InternetAddressTests {
    @Test(arguments: [
        // The first and the last address of each network, and short forms.
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255",
        "192.0.0.0", "192.0.0.255", "192.0.2.1", "192.168.0.0", "192.168.255.255", "198.18.0.0",
        "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.0",
        "255.255.255.255", "127.1", "0x7f000001", "2130706433", "017700000001", "10.1",
        "::", "::1", "[::1]", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "fc00::1", "fdff::1",
        "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1", "::ffff:192.168.1.1", "::127.0.0.1",
        "64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:1ff::1",
        "2001:db8::1", "2002:7f00:1::", "3fff::1", "4000::1", "5f00::1",
    ])
    func refusesAddressesThatAreNotPublic(text: String) throws {
        #expect(try !#require(InternetAddress(text)).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2001:200::1", "2001:4860:4860::8888", "[2606:4700::1111]", "2a00:1450::1", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
    ])
    func permitsPublicAddresses(text: String) throws {
        #expect(try #require(InternetAddress(text)).isPublic)
    }

    @Test(arguments: [
        "", "localhost", "club.example", "1.2.3.4.5", "256.1.1.1", "[127.0.0.1]", "::g", "[]", "%",
    ])
    func readsOnlyNumericAddresses(text: String) {
        #expect(InternetAddress(text) == nil)
    }

    @Test func comparesPrefixesBitByBit() throws {
        let address = try #require(InternetAddress("10.128.0.1"))
        let network = try #require(InternetAddress("10.192.0.0"))
        #expect(address.hasPrefix(network, bits: 0) && address.hasPrefix(network, bits: 9))
        #expect(!address.hasPrefix(network, bits: 10))
        #expect(!address.hasPrefix(network, bits: 33) && !address.hasPrefix(network, bits: -1))
        #expect(!address.hasPrefix(try #require(InternetAddress("::")), bits: 0))
    }
}
