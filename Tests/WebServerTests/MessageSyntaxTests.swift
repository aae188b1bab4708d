import HostRuntime
import Testing

@testable import WebServer

/// Requests that two programs could read differently (RFC 9112, 3.2, 5.1, 5.2 and 6.3).
@Suite struct MessageSyntaxTests {
    private static let json = "Content-Type: application/json\r\n"
    private static let chunked = "Transfer-Encoding: chunked\r\n"
    private static let follower = "GET /follower HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Serves the path of each request, or its body, while `body` runs.
    private func serving(_ body: (String) async throws -> Void) async throws {
        let server = try WebServer(
            at: try #require(ListenAddress("127.0.0.1:0")), limits: .patient, names: ["a", "b"],
            runtime: SystemRuntime()
        ) { request in .json(request.method == .post ? request.body : Array(request.path.utf8)) }
        do { try await body(server.address) } catch {
            server.stop()
            throw error
        }
        server.stop()
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost : b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX-Field\t: b\r\n\r\n",
        "GET / HTTP/1.1\r\nX: 1\r\n\r\n",
        "GET / HTTP/1.0\r\nX: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: one\r\n two\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: one\r\n\ttwo\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: one\r\n \r\n\r\n",
        "GET / HTTP/1.1\r\nHo: a\r\n st\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX@Y: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: one\rtwo\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: one\u{1}two\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\n\(json)Content-Length: 2\r\nContent-Length: 46\r\n\r\n{}",
        "POST / HTTP/1.1\r\nHost: a\r\n\(json)Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "POST / HTTP/1.1\r\nHost: a\r\n\(json)Content-Length: 2, 2\r\n\r\n{}",
        "POST / HTTP/1.1\r\nHost: a\r\n\(json)Content-Length: +2\r\n\r\n{}",
        "POST / HTTP/1.1\r\nHost: a\r\n\(json)Content-Length: 2\r\nTransfer-Encoding: x\r\n\r\n{}",
        "POST / HTTP/1.1\r\nHost: a\r\n\(json)\(chunked)Content-Length: 2\r\n\r\n{}",
        "POST / HTTP/1.1\r\nHost: a\r\n\(json)Content-Length : 2\r\n\r\n{}",
    ])
    func refusesAmbiguousRequestAndClosesConnection(request: String) async throws {
        try await serving { address in
            let client = try RawClient(address)
            client.send(request + Self.follower)
            let answer = await client.read(until: "/follower")
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(request.debugDescription): \(answer)")
            #expect(!answer.contains(" 200 OK") && !answer.contains("/follower"), "\(answer)")
        }
    }

    @Test(arguments: [
        "GET /follower HTTP/1.1\r\nHost:a\r\n\r\n",
        "GET /follower HTTP/1.1\r\nHost: \t a \t\r\n\r\n",
        "GET /follower HTTP/1.1\r\nHost: a\r\nX-!#$%&'*+.^_`|~9: ok: \"still ok\", (\u{e4})\r\n\r\n",
        "GET /follower HTTP/1.1\r\nAccept: x/y\r\nHost: a\r\nAccept: text/html\r\nX:\r\n\r\n",
        "GET /follower HTTP/1.0\r\nHost: a\r\n\r\n",
    ])
    func answersUnusualButValidRequest(request: String) async throws {
        try await serving { address in
            let client = try RawClient(address)
            client.send(request)
            let answer = await client.read(until: "/follower")
            #expect(answer.contains(" 200 OK"), "\(request.debugDescription): \(answer)")
        }
    }
}
