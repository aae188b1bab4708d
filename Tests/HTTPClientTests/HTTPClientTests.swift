import Foundation
import TestSupport
import Testing

@testable import HTTPClient

/// Requests to a real web server.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct HTTPClientTests {
    @Test func sendsRequestsOfEachMethod() async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local()
        for method in [HTTPRequest.Method.get, .post, .put, .delete] {
            let request = HTTPRequest(
                method, server.address("/echo/a%20b?c=d&e=%26#f"), headers: [HTTPField("X-Rowgate", "1, 2")])
            let echo = try EchoedRequest(try await client.perform(request))
            #expect(echo.method == method.rawValue && echo.path == "/echo/a%20b?c=d&e=%26")
            #expect(echo.header("x-rowgate") == ["1, 2"])
            #expect(echo.header("user-agent") == [HTTPClient.Settings().userAgent])
            #expect(echo.header("host") == ["127.0.0.1:\(server.port)"])
            #expect(echo.header("content-length") == (method == .post || method == .put ? ["0"] : []))
            for name in ["content-type", "expect", "accept-encoding", "authorization", "cookie"] {
                #expect(echo.header(name) == [], "\(name)")
            }
            #expect(echo.body.isEmpty)
        }
    }

    @Test func readsTheHeadersOfTheAnswer() async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local()
        let answer = try await client.perform(HTTPRequest(.get, server.address("/echo")))
        #expect(answer.status == 200 && answer.isSuccess)
        #expect(answer.header("x-TWICE") == "one" && answer.header("X-None") == nil)
        #expect(answer.headers.filter { $0.name.lowercased() == "x-twice" }.map(\.value) == ["one", "two"])
        // Neither interim answers nor trailers.
        let chunked = try await client.perform(HTTPRequest(.get, server.address("/trailers")))
        #expect(chunked.headers == [HTTPField("Transfer-Encoding", "chunked")])
        #expect(chunked.status == 200 && chunked.text == "ok")
    }

    @Test func sendsBodies() async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local()
        func echo(_ method: HTTPRequest.Method, _ body: HTTPRequest.Body) async throws -> EchoedRequest {
            try EchoedRequest(
                try await client.perform(HTTPRequest(method, server.address("/echo"), body: body)))
        }
        let form = try await echo(.post, .form([HTTPField("code", "a b&c"), HTTPField("ü", "")]))
        #expect(form.header("content-type") == ["application/x-www-form-urlencoded"])
        var components = URLComponents()
        components.percentEncodedQuery = String(decoding: form.body, as: UTF8.self)
        #expect(
            components.queryItems == [
                URLQueryItem(name: "code", value: "a b&c"), URLQueryItem(name: "ü", value: ""),
            ])
        // Larger than one read, with zeros. libcurl would ask before it sends a megabyte.
        let bytes = (0..<2_000_003).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 8) }
        let large = HTTPClient.local { $0.maximumAnswerSize = 4 << 20 }
        for method in [HTTPRequest.Method.put, .post, .delete] {
            let request = HTTPRequest(
                method, server.address("/echo"), body: .bytes(bytes, contentType: "application/fit"))
            let put = try EchoedRequest(try await large.perform(request))
            #expect(put.method == method.rawValue && put.body == Data(bytes))
            #expect(put.header("content-type") == ["application/fit"] && put.header("expect") == [])
        }
    }

    /// Python's email module reads the parts.
    @Test func sendsMultipartBodies() async throws {
        let server = try await WebServerProcess.web()
        let bytes = [UInt8](UInt8.min ... .max) + Array("\r\n--\r\n\r\n".utf8)
        let body = MultipartBody([
            .init("file", fileName: "8x500 \"quick\".fit", contentType: "application/fit", bytes: bytes),
            .init("name", text: "Jörg\r\n"), .init("empty", bytes: []),
        ])
        let request = HTTPRequest(.post, server.address("/echo"), body: .multipart(body))
        let echo = try EchoedRequest(try await HTTPClient.local().perform(request))
        #expect(
            echo.parts == [
                .init(
                    name: "file", file: "8x500 %22quick%22.fit", type: "application/fit", body: Data(bytes)),
                .init(name: "name", file: nil, type: "text/plain", body: Data("Jörg\r\n".utf8)),
                .init(name: "empty", file: nil, type: "text/plain", body: Data()),
            ])
    }

    @Test func sendsCredentials() async throws {
        let server = try await WebServerProcess.web()
        let request = HTTPRequest(
            .get, server.address("/echo"), credentials: .init(user: "API_KEY", password: "pass: wörd"))
        let echo = try EchoedRequest(try await HTTPClient.local().perform(request))
        let expected = "Basic " + Data("API_KEY:pass: wörd".utf8).base64EncodedString()
        #expect(echo.header("authorization") == [expected])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func returnsRedirections(status: Int) async throws {
        let other = try await WebServerProcess.web()
        let server = try await WebServerProcess.web()
        let request = HTTPRequest(
            .get, server.address("/status/\(status)/\(other.port)"),
            credentials: .init(user: "user", password: "secret"))
        let answer = try await HTTPClient.local().perform(request)
        #expect(answer.status == status && answer.text == "elsewhere")
        #expect(answer.header("location") == other.address("/echo"))
        #expect(await eventually { server.events.count == 1 })
        #expect(other.events == [])
    }

    @Test(arguments: [204, 400, 401, 404, 429, 500, 503])
    func returnsAnswersOfEachStatus(status: Int) async throws {
        let server = try await WebServerProcess.web()
        let request = HTTPRequest(
            .get, server.address("/status/\(status)/1"), credentials: .init(user: "user", password: "secret"))
        #expect(try await HTTPClient.local().perform(request).status == status)
        #expect(await eventually { server.events.count == 1 })
    }

    @Test func sendsOneRequestAtATime() async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await client.perform(HTTPRequest(.get, server.address("/echo/\(number)"))).status
                }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(await eventually { Set(server.events).count == 20 })
    }
}
