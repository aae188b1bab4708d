import HostRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebServer

/// A stream of text that the test publishes. Each reader gets only the newest text.
private final class Ticker: Sendable {
    private struct State {
        var text = ""
        var version = 0
        var wakers: [StreamWaker] = []
        var reads = 0
        var ended = 0
    }

    private let state = Mutex(State())

    var ended: Int { state.withLock { $0.ended } }
    var reads: Int { state.withLock { $0.reads } }

    func publish(_ text: String) {
        let wakers = state.withLock { state in
            state.text = text
            state.version += 1
            return state.wakers
        }
        for waker in wakers { waker.wake() }
    }

    func open(_ waker: StreamWaker) -> any WebStream {
        state.withLock { $0.wakers.append(waker) }
        return Reader(self)
    }

    private final class Reader: WebStream, @unchecked Sendable {  // of the server's thread
        private let ticker: Ticker
        private var seen = -1
        init(_ ticker: Ticker) { self.ticker = ticker }

        func next() -> [UInt8]? {
            ticker.state.withLock { state in
                guard state.version > seen else { return [] }
                guard state.text != "over" else { return nil }
                seen = state.version
                state.reads += 1
                return Array(state.text.utf8)
            }
        }

        func end() { ticker.state.withLock { $0.ended += 1 } }
    }
}

extension WebLimits {
    /// Long timeouts, for a busy machine.
    static var patient: WebLimits {
        var limits = WebLimits()
        (limits.requestTime, limits.answerTime) = (.seconds(600), .seconds(600))
        limits.stuckTime = .seconds(600)
        return limits
    }
}

/// The server on a real socket, with well-behaved and hostile clients.
@Suite struct WebServerTests {
    private let ticker = Ticker()
    private let page = WebFile(
        contentType: "text/html", bytes: Array("<p>hello</p>".utf8), compressed: Array("compressed".utf8),
        entityTag: "\"1234\"")

    /// Serves a page, a stream, an echo and a redirect while `body` runs.
    private func serving(
        _ limits: WebLimits = .patient, _ body: (String) async throws -> Void
    ) async throws {
        let address = try #require(ListenAddress("127.0.0.1:0"))
        let (ticker, page) = (ticker, page)
        let failurePage: WebFailure.Page = { failure in
            Array("<p>\(failure.status) \(failure.request.path) \(failure.request.languages)</p>".utf8)
        }
        let server = try WebServer(
            at: address, limits: limits, names: ["a", "test"],
            headers: [(name: "X-Every", value: "yes")], failurePage: failurePage,
            runtime: SystemRuntime()
        ) { request in
            switch (request.path, request.method) {
            case ("/echo", .post):
                .json(status: 202, request.body, headers: [(name: "X-Here", value: "too")])
            case ("/forwarded", _): .json(Array("\(request.isForwarded)".utf8))
            case ("/", .post): .wrongMethod
            case ("/post", .other), ("/post", .get): .allowing([.post])
            case ("/delete", .delete): .json(Array("{}".utf8))
            case ("/delete", _): .allowing([.delete])
            case ("/", .delete): .wrongMethod
            case ("/", _): .file(page)
            case ("/old", _): .redirect(to: "/")
            case ("/live", _): .stream(contentType: "text/event-stream") { ticker.open($0) }
            default: .notFound
            }
        }
        do { try await body(server.address) } catch {
            server.stop()
            throw error
        }
        server.stop()
    }

    @Test func sendsAFileWithItsEntityTagAnd304IfItMatches() async throws {
        try await serving { address in
            let client = try RawClient(address)
            client.get("/?query=1")
            let answer = await client.read(until: "</p>")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            for line in [
                "Content-Type: text/html", "ETag: \"1234\"", "X-Every: yes", "Content-Length: 12",
                "Vary: Accept-Encoding",
            ] { #expect(answer.contains(line + "\r\n"), "\(line)") }
            client.get("/", method: "HEAD")
            let head = await client.read(until: "\r\n\r\n")
            #expect(head.contains("Content-Length: 12\r\n") && head.hasSuffix("\r\n\r\n"))
            for tags in ["\"1234\"", "W/\"1234\"", "\"0\", \"1234\"", "*"] {
                client.get("/", "If-None-Match: \(tags)")
                let known = await client.read(until: "\r\n\r\n")
                #expect(known.hasPrefix("HTTP/1.1 304 ") && known.hasSuffix("\r\n\r\n"), "\(known)")
            }
            client.get("/", "If-None-Match: \"0\"")
            #expect(await client.read(until: "</p>").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func sendsAFileCompressedWithItsOwnEntityTagIfTheClientAcceptsGzip() async throws {
        try await serving { address in
            let client = try RawClient(address)
            client.get("/", "Accept-Encoding: deflate, gzip, br")
            let answer = await client.read(until: "compressed")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && !answer.contains("hello"))
            for line in [
                "Content-Type: text/html", "Content-Encoding: gzip", "ETag: \"1234-gzip\"",
                "Content-Length: 10", "Vary: Accept-Encoding",
            ] { #expect(answer.contains(line + "\r\n"), "\(line)") }
            client.get("/", "Accept-Encoding: gzip\r\nIf-None-Match: \"1234-gzip\"")
            let known = await client.read(until: "\r\n\r\n")
            #expect(known.hasPrefix("HTTP/1.1 304 ") && known.contains("ETag: \"1234-gzip\"\r\n"))
            #expect(known.contains("Vary: Accept-Encoding\r\n"))
            // A cache must not take one form for the other.
            client.get("/", "If-None-Match: \"1234-gzip\"")
            #expect(await client.read(until: "</p>").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(arguments: [
        ("gzip", true), ("br, GZIP", true), ("gzip;q=0.5", true), ("gzip ; q=1", true), ("*", true),
        ("x-gzip", true), ("deflate, *;q=0.1", true), ("", false), ("identity", false), ("gzip;q=0", false),
        ("gzip;q=0.000, *", false), ("*;q=0", false), ("deflate", false), ("gzipped", false), (",;", false),
    ])
    func sendsGzipOnlyToClientsThatAcceptIt(encodings: String, isAccepted: Bool) {
        #expect(acceptsGzip(encodings) == isAccepted)
        #expect(page.representation(accepting: encodings).isCompressed == isAccepted)
    }

    @Test(arguments: [
        ("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", "404 ", "\"code\":\"not_found\""),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Content-Length: 3\r\n\r\nabc", "405 ", "Allow: GET, HEAD"
        ),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "415 ", "wrong_type"),
        (
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "411 ", "length_required"
        ),
        (
            "POST /echo HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nContent-Type: application/json"
                + "\r\nContent-Length: 2\r\n\r\n{}", "403 ", "cross_origin"
        ),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421 ", "http.names"),
        ("GET / HTTP/1.0\r\n\r\n", "400 ", "no_host"),
        ("GET /old HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "303 ", "Location: /\r\n"),
        ("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", "405 ", "\"code\":\"method_not_allowed\""),
        ("PUT /post HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n", "405 ", "Allow: POST"),
        ("GET /post HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "405 ", "Allow: POST"),
        // A DELETE with a body deletes nothing.
        ("DELETE /delete HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "413 ", "body_not_accepted"),
        ("DELETE /post HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "405 ", "Allow: POST"),
        ("TRACE / HTTP/1.1\r\nHost: b\r\n\r\n", "421 ", "wrong_host"),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "413 ", "body_not_accepted"),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "413 ",
            "body_not_accepted"
        ),
        ("GET / HTTP/1.1\r\n\r\n", "400 ", ""), ("what is this\r\n\r\n", "", ""),
        ("GET / HTTP/7.1\r\nHost: a\r\n\r\n", "505 ", ""),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n",
            "431 ", ""
        ),
        ("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n", "414 ", ""),
    ])
    func answersInvalidRequestsWithAnError(
        request: String, status: String, words: String
    ) async throws {
        try await serving { address in
            let client = try RawClient(address)
            client.send(request)
            let isOurs = words.isEmpty || status == "303 "
            let answer = await client.read(until: isOurs ? nil : "\"}")
            #expect(status.isEmpty || answer.hasPrefix("HTTP/1.1 " + status), "\(answer)")
            #expect(words.isEmpty || answer.contains(words), "\(answer)")
            let next = try RawClient(address)
            next.get("/")
            #expect(await next.read(until: "</p>").contains(" 200 OK"))
        }
    }

    @Test(arguments: [
        ("X-Other: 192.0.2.1", false), ("Forwarded: for=192.0.2.1", true),
        ("x-forwarded-for: 192.0.2.1", true),
        ("X-Forwarded-Proto: https", true), ("X-Real-IP:", true), ("Via: 1.1 proxy", true),
    ])
    func recognisesTheHeadersOfProxies(header: String, isForwarded: Bool) async throws {
        try await serving { address in
            let client = try RawClient(address)
            client.get("/forwarded", header)
            let expected = "\r\n\r\n\(isForwarded)"
            #expect(await client.read(until: expected).hasSuffix(expected))
        }
    }

    @Test func showsFailuresAsPagesToBrowsersAlone() async throws {
        try await serving { address in
            let page = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
            for (request, status, text) in [
                ("GET /nothing HTTP/1.1\r\nHost: a", "404 ", "<p>404 /nothing de</p>"),
                (
                    "POST / HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nContent-Length: 0", "403 ",
                    "<p>403 / de</p>"
                ),
                ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0", "405 ", "<p>405 / de</p>"),
                ("GET /x HTTP/1.1\r\nHost: elsewhere", "421 ", "<p>421 /x de</p>"),
                ("GET /x HTTP/1.1\r\nHost: a\r\nHost: b", "400 ", "<p>400 /x de</p>"),
            ] {
                let browser = try RawClient(address)
                browser.send("\(request)\r\n\(page)\r\nAccept-Language: de\r\n\r\n")
                let shown = await browser.read(until: "</p>")
                // Ends at the first failure, because each read without an answer waits for minutes.
                try #require(shown.hasPrefix("HTTP/1.1 " + status), "\(shown)")
                try #require(shown.contains(text), "\(shown)")
                for line in [
                    "Content-Type: text/html; charset=utf-8", "Vary: Accept, Accept-Language, Cookie",
                    "X-Every: yes",
                ] { #expect(shown.contains(line + "\r\n"), "\(shown)") }
                for accept in ["Accept: */*\r\n", "Accept: application/json\r\n", ""] {
                    let program = try RawClient(address)
                    program.send("\(request)\r\n\(accept)\r\n")
                    let answer = await program.read(until: "\"}")
                    try #require(answer.contains("Content-Type: application/problem+json\r\n"))
                }
            }
        }
    }

    @Test func readsBodiesInPiecesAndRefusesLargeOnes() async throws {
        try await serving { address in
            let client = try RawClient(address)
            for _ in 0..<2 {
                client.get(
                    "/echo", method: "POST", "Content-Type: application/json", "Content-Length: 9")
                for piece in ["{\"a\"", ":\"", "b\"}"] {
                    client.send(piece)
                    try await Task.sleep(for: .milliseconds(20))
                }
                let answer = await client.read(until: "{\"a\":\"b\"}")
                #expect(answer.hasPrefix("HTTP/1.1 202 "), "\(answer)")
                #expect(answer.contains("X-Here: too\r\n") && answer.contains("X-Every: yes\r\n"))
            }
            let huge = try RawClient(address)
            huge.get(
                "/echo", method: "POST", "Content-Type: application/json",
                "Content-Length: 10000000")
            #expect(await huge.read(until: "\"}").contains("body_too_large"))
            let filler = String(repeating: "x", count: 1_000_000)
            #expect(await eventually { !huge.send(filler) })
        }
    }

    @Test func closesTheConnectionOfASlowBody() async throws {
        var limits = WebLimits.patient
        limits.requestTime = .seconds(2)
        try await serving(limits) { address in
            let begin = ContinuousClock.now
            let slow = try RawClient(address)
            slow.get(
                "/echo", method: "POST", "Content-Type: application/json", "Content-Length: 900")
            let isHungUpOn = await eventually {
                try? await Task.sleep(for: .milliseconds(300))
                return !slow.send("x")
            }
            #expect(isHungUpOn)
            #expect(ContinuousClock.now - begin >= .seconds(1))
        }
    }

    @Test func twoHundredStreamsAreServedAtOnce() async throws {
        ticker.publish("first.")
        try await serving { address in
            let clients = try (0..<200).map { _ in try RawClient(address) }
            for client in clients { client.get("/live") }
            for client in clients {
                let head = await client.read(until: "first.")
                #expect(head.contains("Content-Type: text/event-stream\r\n"))
            }
            for word in ["second.", "third."] {
                ticker.publish(word)
                for client in clients { #expect(await client.read(until: word).contains(word)) }
            }
            #expect(ticker.ended == 0)
        }
        #expect(ticker.ended == 200)
    }

    @Test func aStreamEndsWhenItsReaderCloses() async throws {
        ticker.publish("first.")
        try await serving { address in
            do {
                let client = try RawClient(address)
                client.get("/live")
                _ = await client.read(until: "first.")
            }
            let hasEnded = await eventually {
                ticker.publish("more.")
                return ticker.ended == 1
            }
            #expect(hasEnded)
        }
    }

    @Test func aStreamMayEndItself() async throws {
        ticker.publish("first.")
        try await serving { address in
            let client = try RawClient(address)
            client.get("/live")
            _ = await client.read(until: "first.")
            ticker.publish("over")
            #expect(await client.read(until: "0\r\n\r\n") == "0\r\n\r\n")
            #expect(await eventually { ticker.ended == 1 })
        }
    }

    @Test func aSlowReaderSkipsToTheNewestMessage() async throws {
        // 400 messages of 20 kB are 8 MB, far more than the buffers of this client. The server must
        // read only some of them from the stream.
        var limits = WebLimits.patient
        limits.sendBuffer = 16 * 1024
        ticker.publish("first.")
        try await serving(limits) { address in
            let client = try RawClient(address, receiveBuffer: 16 * 1024)
            client.get("/live")
            _ = await client.read(until: "first.")
            let filler = String(repeating: "x", count: 20_000)
            for number in 1...400 {
                ticker.publish("\(filler) \(number).")
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(ticker.reads < 100)
            ticker.publish("the end.")
            let text = await client.read(until: "the end.\r\n")
            #expect(text.hasSuffix("the end.\r\n"))
            #expect(text.utf8.count < 2_000_000)
        }
    }

    @Test func closesSlowAndSilentClientsButNoStreams() async throws {
        var limits = WebLimits.patient
        limits.requestTime = .seconds(2)
        ticker.publish("first.")
        try await serving(limits) { address in
            // A busy machine may close this client too, before its request has arrived.
            var stream: RawClient?
            let isStreaming = await eventually {
                stream = try? RawClient(address)
                stream?.get("/live")
                return await stream?.read(until: "first.").contains("first.") == true
            }
            #expect(isStreaming)
            let reader = try #require(stream)
            let silent = try RawClient(address)
            let begin = ContinuousClock.now
            let slow = try RawClient(address)
            slow.send("GET / HTTP/1.1\r\n")
            let isHungUpOn = await eventually {
                try? await Task.sleep(for: .milliseconds(100))
                return !slow.send("x")
            }
            #expect(isHungUpOn)
            #expect(ContinuousClock.now - begin >= .seconds(1))
            #expect(await silent.read() == "")
            ticker.publish("still.")
            #expect(await reader.read(until: "still.").contains("still."))
        }
    }

    @Test func explainsWhyItCannotListen() async throws {
        try await serving { usedAddress in
            for (text, words) in [
                (usedAddress, "another program"), ("192.0.2.1:0", "does not have"),
            ] {
                let address = try #require(ListenAddress(text))
                let error = #expect(throws: WebServerError.self) {
                    _ = try WebServer(at: address, runtime: SystemRuntime()) { _ in .notFound }
                }
                #expect(error?.description.contains(words) == true)
            }
        }
    }
}
