import Foundation
import TestSupport
import Testing

@testable import HTTPClient

/// Certificates that openssl made a moment ago, and proxies.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct TLSProxyTests {
    @Test func rejectsInvalidCertificates() async throws {
        let authority = try await CertificateAuthority()
        func failure(
            _ server: WebServerProcess, trusting file: String? = authority.certificate
        ) async -> HTTPFailure? {
            let client = HTTPClient.local { $0.authorityFile = file }
            return await client.failure(server.address("/secret", scheme: "https"))
        }
        let good = try await WebServerProcess.web(authority.issue("good"))
        #expect(await failure(good) == nil)
        let unknown = "its certificate is not signed by an authority that is trusted here"
        let other = try await CertificateAuthority("other")
        for file in [other.certificate, nil] {
            let found = await failure(good, trusting: file)
            #expect(found?.kind == .certificateRefused && found?.cause == unknown, "\(found as Any)")
            #expect(found?.mayHaveReachedServer == false && found?.host == "127.0.0.1")
        }
        let expired = await failure(try await .web(authority.issue("expired", days: -1)))
        #expect(expired?.kind == .certificateRefused && expired?.cause == "its certificate has expired")
        let named = await failure(try await .web(authority.issue("named", alternative: "DNS:other.example")))
        #expect(named?.kind == .certificateRefused && named?.cause == "its certificate is for another name")
        let missing = await failure(good, trusting: "/nonexistent")
        #expect(missing?.kind == .invalidRequest, "\(missing as Any)")
        #expect(good.events.filter { !$0.hasPrefix("failed") } == ["GET /secret -"])
    }

    @Test func requiresTLS12() async throws {
        let authority = try await CertificateAuthority()
        let client = HTTPClient.local { $0.authorityFile = authority.certificate }
        for server in [try await WebServerProcess.web(), try await .web(authority.issue("old"), ["old"])] {
            let failure = await client.failure(server.address("/secret", scheme: "https"))
            #expect(
                failure?.kind == .unreachable && failure?.cause == "no TLS connection", "\(failure as Any)")
            #expect(failure?.mayHaveReachedServer == false)
        }
    }

    /// The proxy is on this machine, and only its address may be private.
    @Test func usesTheProxyOfTheEnvironment() async throws {
        let authority = try await CertificateAuthority()
        let server = try await WebServerProcess.web(authority.issue("club", alternative: "DNS:club.example"))
        let proxy = try await WebServerProcess.proxy(to: server.port)
        let address = "http://user:secret@127.0.0.1:\(proxy.port)"
        func client(_ variables: [String: String] = [:], setting: String? = nil) -> HTTPClient {
            HTTPClient.local(environment: variables) {
                $0.authorityFile = authority.certificate
                $0.permitsPrivateAddresses = false
                $0.proxy = setting
            }
        }
        let request = HTTPRequest(
            .get, "https://club.example/echo", headers: [HTTPField("X-Token", "1")],
            credentials: .init(user: "a", password: "b"))
        for client in [client(["https_proxy": address]), client(setting: address)] {
            let answer = try await client.perform(request)
            #expect(try EchoedRequest(answer).header("host") == ["club.example"])
            #expect(answer.header("X-Proxy") == nil)
        }
        let credentials = "Basic " + Data("user:secret".utf8).base64EncodedString()
        let line = "CONNECT club.example:443 \(credentials)"
        #expect(await eventually { proxy.events.count == 2 })
        #expect(proxy.events == [line, line])

        // no_proxy, and no proxy at all: this name does not exist, and a name of this machine is refused.
        let name = String(repeating: "x", count: 64) + ".example"
        let exception = client(["https_proxy": address, "no_proxy": "example"])
        #expect(await exception.failure("https://\(name)/")?.kind == .nameNotFound)
        let direct = client(["https_proxy": address], setting: "")
        #expect(await direct.failure("https://\(name)/")?.kind == .nameNotFound)
        let local = client(["https_proxy": address, "no_proxy": "localhost"])
        #expect(await local.failure("https://localhost:\(server.port)/")?.kind == .addressNotAllowed)
        // Names of private addresses are refused, as far as they can be recognized.
        for host in ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "2130706433", "[::ffff:127.0.0.1]"] {
            let failure = await client(["https_proxy": address]).failure("https://\(host):\(server.port)/")
            #expect(failure?.kind == .addressNotAllowed, "\(failure as Any)")
        }
        #expect(proxy.events.count == 2 && server.events.count { $0.hasPrefix("GET") } == 2)
    }

    /// Without TLS, the proxy receives the whole address.
    @Test func usesAProxyWithoutTLS() async throws {
        let proxy = try await WebServerProcess.web()
        let client = HTTPClient.local(environment: ["http_proxy": "127.0.0.1:\(proxy.port)"]) {
            $0.permitsPrivateAddresses = false
        }
        let answer = try await client.perform(HTTPRequest(.get, "http://club.example/echo"))
        #expect(try EchoedRequest(answer).path == "http://club.example/echo")
    }

    @Test func reportsFailingProxies() async throws {
        let port = try PrivateBroker.freePort()
        func failure(_ proxy: String) async -> HTTPFailure? {
            await HTTPClient.local { $0.proxy = proxy }.failure("https://club.example/secret")
        }
        let refused = await failure("http://user:secret@127.0.0.1:\(port)")
        #expect(refused?.kind == .unreachable && refused?.host == "127.0.0.1", "\(refused as Any)")
        let name = String(repeating: "x", count: 64) + ".invalid"
        let unknown = await failure("http://user:secret@\(name):3128")
        #expect(unknown?.kind == .nameNotFound && unknown?.host == name, "\(unknown as Any)")
        let proxy = try await WebServerProcess.proxy(to: port, status: 407)
        let rejected = await failure("http://user:secret@127.0.0.1:\(proxy.port)")
        #expect(rejected?.kind == .unreachable && rejected?.mayHaveReachedServer == false)
        #expect(
            rejected?.description
                == "127.0.0.1: the proxy refused a connection to club.example with status 407; check the proxy"
        )
        let invalid = await failure("http://user:secret@:x")
        #expect(invalid?.kind == .invalidRequest)
        for found in [refused, unknown, rejected, invalid] {
            #expect(found?.description.contains("secret") == false, "\(found as Any)")
        }
    }
}
