import Testing

@testable import HTTPClient

struct ProxySelectionTests {
    private func selection(
        _ variables: [String: String], setting: String? = nil, scheme: String = "https"
    ) -> ProxySelection {
        ProxySelection(setting: setting, scheme: scheme) { variables[$0] }
    }

    @Test func prefersTheSettingToTheEnvironment() {
        let variables = ["https_proxy": "http://environment:1", "no_proxy": "local.example"]
        #expect(selection(variables).proxy(for: "club.example") == "http://environment:1")
        #expect(selection(variables, setting: "").proxy(for: "club.example") == "")
        let own = selection(variables, setting: "http://own:2")
        #expect(own.proxy(for: "club.example") == "http://own:2")
        #expect(own.proxy(for: "local.example") == "")
        #expect(selection([:]).proxy(for: "club.example") == "")
    }

    @Test(arguments: [
        ("https", ["https_proxy": "a", "HTTPS_PROXY": "b", "all_proxy": "c"], "a"),
        ("https", ["https_proxy": "", "HTTPS_PROXY": "b", "all_proxy": "c"], "b"),
        ("https", ["http_proxy": "a", "all_proxy": "c", "ALL_PROXY": "d"], "c"),
        ("https", ["ALL_PROXY": "d"], "d"), ("http", ["http_proxy": "a", "https_proxy": "b"], "a"),
        // The header `Proxy` of a request to a CGI program.
        ("http", ["HTTP_PROXY": "a"], ""),
    ])
    func readsTheVariablesOfLibcurl(scheme: String, variables: [String: String], proxy: String) {
        #expect(selection(variables, scheme: scheme).proxy(for: "club.example") == proxy)
    }

    @Test(arguments: [
        ("*", "club.example"), ("club.example", "club.example"), ("example", "club.example"),
        (".example", "club.example"), ("CLUB.example.", "club.EXAMPLE"), ("a,b example", "club.example"),
        ("club.example", "club.example."), ("127.0.0.1", "127.0.0.1"), ("10.0.0.0/8", "10.200.1.1"),
        ("::1", "[::1]"), ("[::1]", "[::1]"), ("fd00::/8", "[fd12::1]"), ("10.0.0.1", "[::ffff:10.0.0.1]"),
    ])
    func usesNoProxyForExceptions(exceptions: String, host: String) {
        let variables = ["https_proxy": "proxy", "no_proxy": exceptions]
        #expect(selection(variables).proxy(for: host) == "")
    }

    @Test(arguments: [
        ("", "club.example"), ("ub.example", "club.example"), ("*.example", "club.example"),
        ("club.example", "example"), (",. ,", "club.example"), ("127.0.0", "127.0.0.1"),
        ("10.0.0.0/8", "11.0.0.1"), ("10.0.0.0/99", "10.0.0.1"), ("10.0.0.0/8/9", "10.0.0.1"),
        ("0.0.1", "127.0.0.1"), ("fd00::/8", "10.0.0.1"),
    ])
    func usesTheProxyForOthers(exceptions: String, host: String) {
        let variables = ["https_proxy": "proxy", "NO_PROXY": exceptions]
        #expect(selection(variables).proxy(for: host) == "proxy")
    }
}
