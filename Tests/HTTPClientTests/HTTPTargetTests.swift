import Testing

@testable import HTTPClient

struct HTTPTargetTests {
    @Test(arguments: [
        "", "club.example", "club.example:443/secret", "ftp://club.example/secret", "file:///etc/secret",
        "https://", "https:///secret", "https:/club.example/secret", "//club.example/secret",
        "https://user@club.example/secret",
        "https://user:secret@club.example/",
        "https://club.example/se cret", "https://club.example/secret\r\nX: y",
        "https://club.example:99999/secret",
        "https://clüb.example/secret", "https://%EF%BC%91.example/secret", "https://[::1/secret",
        "https://club.example\\@127.0.0.1/secret",
        "https://" + String(repeating: "x", count: 256) + "/secret",
    ])
    func rejectsInvalidAddresses(text: String) {
        let failure = #expect(throws: HTTPFailure.self) { try HTTPTarget(text) }
        #expect(failure?.kind == .invalidRequest && failure?.mayHaveReachedServer == false)
        #expect(failure?.description.contains("secret") == false, "\(failure as Any)")
        #expect(failure?.host == "")
    }

    @Test(arguments: [
        ("https://club.example", "https", "club.example"),
        ("HTTP://Club.Example:8080/a?b#c", "http", "Club.Example"),
        ("https://[2001:db8::1]:8443/", "https", "[2001:db8::1]"), ("http://127.1/", "http", "127.0.0.1"),
        ("http://0x7f.1/", "http", "127.0.0.1"),
    ])
    func readsSchemeAndHost(text: String, scheme: String, host: String) throws {
        let target = try HTTPTarget(text)
        #expect(target.scheme == scheme && target.host == host)
    }

    @Test(arguments: [
        "http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://127.0.0.1/",
        "http://[::1]/",
        "http://2130706433/", "http://10.0.0.1/", "http://[::ffff:127.0.0.1]/", "http://0/",
        "http://%6c%6f%63%61%6c%68%6f%73%74/", "http://[fe80::1%25eth0]/",
    ])
    func recognizesPrivateHosts(text: String) throws {
        #expect(try HTTPTarget(text).isPrivateByName)
    }

    @Test(arguments: [
        "http://club.example/", "http://8.8.8.8/", "http://localhost.example/", "http://[2a00::1]/",
    ])
    func permitsOtherHosts(text: String) throws {
        #expect(try !HTTPTarget(text).isPrivateByName)
    }

    @Test(arguments: [
        ("http://user:secret@proxy.example:3128", "proxy.example"), ("proxy.example:3128", "proxy.example"),
        ("socks5h://[::1]:1080", "[::1]"), ("http://", nil), ("http://proxy:x", nil),
    ])
    func readsTheHostOfAProxy(text: String, host: String?) {
        #expect(HTTPTarget.host(ofProxy: text) == host)
    }
}
