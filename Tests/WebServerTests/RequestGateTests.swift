import Testing

@testable import WebServer

/// The checks of request headers, without a socket.
@Suite struct RequestGateTests {
    private let gate = RequestGate(names: ["boathouse", "Boathouse.local"], bodyLimit: 100)

    private func code(_ head: RequestGate.Head) -> String? {
        guard case .failure(_, let code, _, _) = gate.refusal(of: head) else { return nil }
        return code
    }

    private func post(
        host: String = "boathouse:8080", origin: String? = nil, site: String? = nil,
        type: String? = "application/json", length: String? = "10", encoding: String? = nil,
        hasCookies: Bool = false
    ) -> RequestGate.Head {
        .init(
            method: "POST", host: host, origin: origin, site: site, contentType: type,
            length: length, encoding: encoding, hasCookies: hasCookies)
    }

    @Test(
        arguments: [
            ("boathouse", nil), ("BOATHOUSE.local.:8080", nil), ("localhost:1", nil),
            ("192.168.1.5:8080", nil), ("[fe80::1]:8080", nil), ("[::1]", nil),
            ("evil.example", "wrong_host"), ("boathouse.evil.example", "wrong_host"),
            ("192.168.1.5.nip.io", "wrong_host"), ("[evil.example]", "wrong_host"), ("", "no_host"),
            (":80", "no_host"), ("[::1", "no_host"), (nil, "no_host"),
        ] as [(String?, String?)])
    func refusesForeignHostNames(host: String?, code: String?) {
        // This prevents DNS rebinding.
        for method in ["GET", "HEAD"] {
            #expect(self.code(.init(method: method, host: host)) == code)
        }
        #expect(self.code(post(host: host ?? "")) == code)
    }

    @Test(
        arguments: [
            ("http://boathouse:8080", "same-origin", true, true),
            ("http://boathouse:8080", nil, true, true), ("https://boathouse:8080", nil, true, true),
            (nil, "same-origin", true, true), (nil, nil, false, true), (nil, nil, true, false),
            ("http://evil.example", nil, true, false), ("http://boathouse", nil, true, false),
            ("http://boathouse:8080.evil.example", nil, false, false), ("null", nil, true, false),
            ("http://boathouse:8080", "cross-site", true, false),
            ("http://boathouse:8080", "same-site", true, false), (nil, "none", true, false),
            ("http://evil.example", "same-origin", false, false), ("", nil, false, false),
        ] as [(String?, String?, Bool, Bool)])
    func refusesWritesFromForeignPages(
        origin: String?, site: String?, hasCookies: Bool, isFine: Bool
    ) {
        // Browsers send Origin, Sec-Fetch-Site or both; programs send neither.
        let found = code(post(origin: origin, site: site, hasCookies: hasCookies))
        #expect(found == (isFine ? nil : "cross_origin"))
        var delete = post(origin: origin, site: site, type: nil, length: nil, hasCookies: hasCookies)
        delete.method = "DELETE"
        #expect(code(delete) == found)
    }

    @Test func refusesLargeBodiesAndOtherTypes() {
        #expect(code(post(length: "100")) == nil)
        #expect(code(post(type: "Application/JSON; charset=utf-8")) == nil)
        #expect(code(post(type: nil, length: "0")) == nil)
        #expect(code(post(length: "101")) == "body_too_large")
        #expect(code(post(length: nil)) == "length_required")
        #expect(code(post(length: "-1x")) == "length_required")
        #expect(code(post(length: nil, encoding: "chunked")) == "length_required")
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", nil] {
            #expect(code(post(type: type)) == "wrong_type")
        }
        for method in ["GET", "HEAD", "PUT"] {
            let head = RequestGate.Head(method: method, host: "boathouse", length: "3")
            #expect(RequestGate.refusal(ofSurplusBody: head) != nil)
        }
        #expect(RequestGate.refusal(ofSurplusBody: .init(method: "GET", length: "0")) == nil)
        #expect(RequestGate.refusal(ofSurplusBody: post()) == nil)
        // The handler says which methods there are at the address.
        #expect(code(.init(method: "PUT", host: "boathouse")) == nil)
        #expect(code(.init(method: "PUT", host: "evil.example")) == "wrong_host")
    }

    @Test func readsCookiesAndBearerTokens() {
        let request = WebRequest(
            path: "/", cookies: "a=1; rowgate=x=y; rowgater=2; rowgate=z",
            authorization: "bearer  t-1")
        #expect(request.cookie("rowgate") == "x=y" && request.cookie("row") == nil)
        #expect(request.bearer == "t-1")
        #expect(WebRequest(path: "/", authorization: "Basic x").bearer == nil)
    }
}
