import Dispatch
import HostRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebServer

/// Deferred answers and large answers.
@Suite struct DeferredAnswerTests {
    /// Open requests for `/slow`, which the test answers.
    private final class OpenRequests: Sendable {
        private let open = Mutex<[@Sendable (WebAnswer) -> Void]>([])

        var count: Int { open.withLock { $0.count } }

        func add(_ answer: @escaping @Sendable (WebAnswer) -> Void) {
            open.withLock { $0.append(answer) }
        }

        /// Answers from another thread, as a database does.
        func answerAll(_ text: String) {
            let answers = open.withLock { open in
                defer { open = [] }
                return open
            }
            DispatchQueue.global().async {
                for answer in answers { answer(.json(Array(text.utf8))) }
            }
        }
    }

    private let waiting = OpenRequests()

    private func server(_ limits: WebLimits = .patient) throws -> WebServer {
        let waiting = waiting
        return try WebServer(
            at: try #require(ListenAddress("127.0.0.1:0")), limits: limits, names: ["test"],
            runtime: SystemRuntime()
        ) { request in
            switch request.path {
            case "/slow": .deferred { waiting.add($0) }
            case "/now": .deferred { $0(.json(Array("now.".utf8))) }
            case "/large": .deferred { $0(.content(type: "text/plain", Self.large)) }
            case "/query":
                .json(Array((request.query.map { "\($0.name)=\($0.value);" }.joined()).utf8))
            default: .json(Array("at \(request.path).".utf8))
            }
        }
    }

    private static let large = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)

    /// Serves while `body` runs.
    private func serving(
        _ limits: WebLimits = .patient, _ body: (String) async throws -> Void
    ) async throws {
        let server = try server(limits)
        do { try await body(server.address) } catch {
            server.stop()
            throw error
        }
        server.stop()
    }

    @Test func decodesQueriesButNoEscapedNUL() async throws {
        try await serving { address in
            let client = try RawClient(address)
            client.get("/query?a=1&b=%c3%a4+%26&a=2&c&d=x%00y")
            #expect(await client.read(until: "d=x%00y;").hasSuffix("a=1;b=ä &;a=2;c=;d=x%00y;"))
            client.get("/now%00/else")
            #expect(await client.read(until: "else.").hasSuffix("at /now%00/else."))
        }
    }

    @Test func servesOthersDuringADeferredAnswer() async throws {
        try await serving { address in
            let slow = try (0..<3).map { _ in try RawClient(address) }
            for client in slow { client.get("/slow") }
            #expect(await eventually { waiting.count == 3 })
            let other = try RawClient(address)
            for _ in 0..<2 {
                other.get("/now")
                #expect(await other.read(until: "now.").contains(" 200 OK"))
            }
            waiting.answerAll("done.")
            for client in slow { #expect(await client.read(until: "done.").contains(" 200 OK")) }
            slow[0].get("/slow")
            #expect(await eventually { waiting.count == 1 })
            waiting.answerAll("again.")
            #expect(await slow[0].read(until: "again.").contains(" 200 OK"))
        }
    }

    @Test func ignoresAnswersAfterTheClientClosesOrTheServerStops() async throws {
        let server = try server()
        do {
            let client = try RawClient(server.address)
            client.get("/slow")
            #expect(await eventually { waiting.count == 1 })
        }
        waiting.answerAll("in vain.")
        let last = try RawClient(server.address)
        last.get("/slow")
        #expect(await eventually { waiting.count == 1 })
        server.stop()
        waiting.answerAll("too late.")
        let received = await last.read()
        #expect(received.isEmpty || received.contains("\"code\":\"stopping\""), "\(received)")
    }

    @Test func limitsTheTotalOfLargeAnswers() async throws {
        // A client does not read its 3 MB, so a second answer exceeds the 4 MB until the first closes.
        var limits = WebLimits.patient
        (limits.content, limits.sendBuffer) = (4 << 20, 16 * 1024)
        try await serving(limits) { address in
            do {
                let idle = try RawClient(address, receiveBuffer: 16 * 1024)
                idle.get("/large")
                _ = await idle.read(until: "xx")
                let second = try RawClient(address)
                second.get("/large")
                let refused = await second.read(until: "\"}")
                #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused)")
                #expect(refused.contains("Retry-After: 5\r\n"))
                #expect(refused.contains("Content-Type: application/problem+json\r\n"))
                second.get("/now")
                #expect(await second.read(until: "now.").contains(" 200 OK"))
            }
            let isServed = await eventually {
                guard let client = try? RawClient(address) else { return false }
                client.get("/large")
                return await client.read(until: "xx").contains(" 200 OK")
            }
            #expect(isServed)
        }
    }
}
