import Foundation
import TestSupport
import Testing

@testable import HTTPClient

/// Servers that fail, and requests that end early.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct TransferFailureTests {
    /// Secrets in each part of a request.
    private func secretRequest(_ address: String) -> HTTPRequest {
        HTTPRequest(
            .post, address + "?token=secret", headers: [HTTPField("X-Secret", "secret")],
            body: .bytes(Array("secret".utf8), contentType: "text/secret"),
            credentials: .init(user: "secret", password: "secret"))
    }

    @Test(arguments: [
        ("cut", HTTPFailure.Kind.connectionLost), ("silent", .connectionLost), ("garbage", .other),
        ("large/1001", .answerTooLarge), ("endless", .answerTooLarge),
    ])
    func reportsFailingServers(path: String, kind: HTTPFailure.Kind) async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local { $0.maximumAnswerSize = 1000 }
        let failure = try #require(await client.failure(secretRequest(server.address("/" + path))))
        #expect(failure.kind == kind && failure.mayHaveReachedServer, "\(failure)")
        #expect(failure.description.hasPrefix("127.0.0.1: "))
        for part in ["secret", path, "mail.example"] { #expect(!failure.description.contains(part)) }
        #expect(await eventually { server.events.first?.hasPrefix("POST /\(path)") == true })
        #expect(server.events.count { $0.hasPrefix("POST") } == 1)
    }

    @Test func acceptsAnAnswerOfTheMaximumSize() async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local { $0.maximumAnswerSize = 1000 }
        #expect(try await client.perform(HTTPRequest(.get, server.address("/large/1000"))).body.count == 1000)
    }

    @Test func limitsTheHeadersOfAnAnswer() async throws {
        let server = try await WebServerProcess.web()
        let failure = try #require(await HTTPClient.local().failure(server.address("/headers")))
        #expect(failure.mayHaveReachedServer && failure.kind != .timedOut, "\(failure)")
        #expect(await eventually { server.events.last == "closed" })
    }

    @Test func reportsUnknownNames() async throws {
        // The C library rejects a label of 64 bytes without a query.
        let name = String(repeating: "x", count: 64) + ".invalid"
        let failure = try #require(await HTTPClient.local().failure(secretRequest("https://\(name)/secret")))
        #expect(failure.kind == .nameNotFound && !failure.mayHaveReachedServer && failure.host == name)
        #expect(failure.description == "\(name): name not found; check the address and the name server (DNS)")
    }

    @Test func reportsRefusedConnections() async throws {
        let port = try PrivateBroker.freePort()
        let request = secretRequest("https://127.0.0.1:\(port)/secret")
        let failure = try #require(await HTTPClient.local().failure(request))
        #expect(failure.kind == .unreachable && !failure.mayHaveReachedServer)
        #expect(
            failure.description
                == "127.0.0.1: not reachable: Connection refused; check the network and the address")
    }

    /// A long time limit for a machine with much else to do: only the last one must be enough for the request.
    @Test func reportsServersThatDoNotAnswer() async throws {
        let server = try await WebServerProcess.web()
        var failure: HTTPFailure?
        for seconds in [1, 10, 100] where failure?.mayHaveReachedServer != true {
            let client = HTTPClient.local { $0.totalTimeout = .seconds(seconds) }
            failure = await client.failure(secretRequest(server.address("/never")))
            #expect(failure?.kind == .timedOut, "\(failure as Any)")
        }
        let text = try #require(failure?.description)
        #expect(text.contains("no complete answer within") && text.contains("may have received"))
        #expect(!text.contains("secret"))
    }

    /// The kernel accepts the connection, and nobody answers in TLS.
    @Test func reportsServersWithoutTLSInTime() async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 5) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isListening)
        let client = HTTPClient.local { $0.connectTimeout = .milliseconds(300) }
        let failure = try #require(
            await client.failure("https://127.0.0.1:\(UInt16(bigEndian: name.sin_port))/"))
        #expect(failure.kind == .timedOut && !failure.mayHaveReachedServer)
        #expect(failure.description == "127.0.0.1: no connection within 300 ms; check the network")
    }

    /// The time limits are longer than that of the tests.
    @Test(arguments: [false, true])
    func stopsRunningAndWaitingRequests(byTask: Bool) async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local {
            ($0.connectTimeout, $0.totalTimeout) = (.seconds(9999), .seconds(9999))
        }
        let request = secretRequest(server.address("/never"))
        let tasks = [
            Task { await client.failure(request) }, Task { await client.failure(request) },
        ]
        #expect(await eventually { !server.events.isEmpty })
        if byTask { for task in tasks { task.cancel() } } else { client.stop() }
        var failures: [HTTPFailure?] = []
        for task in tasks { failures.append(await task.value) }
        #expect(failures.map { $0?.kind } == [.stopped, .stopped])
        #expect(Set(failures.map { $0?.mayHaveReachedServer }) == [true, false])
        #expect(await eventually { server.events.contains("closed") })
        #expect(server.events.filter { $0 != "closed" }.count == 1)
        // Later requests.
        let later = await client.failure(server.address("/echo"))
        #expect(byTask ? later == nil : later?.kind == .stopped)
        if !byTask { #expect(later?.description == "127.0.0.1: request cancelled") }
    }

    @Test func refusesPlainHTTPIfItIsNotPermitted() async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local { $0.permitsPlainHTTP = false }
        let failure = try #require(await client.failure(secretRequest(server.address("/echo"))))
        #expect(failure.kind == .addressNotAllowed)
        #expect(failure.description == "127.0.0.1: http without encryption is not permitted; use https")
        #expect(server.events == [])
    }

    @Test(arguments: [
        "127.0.0.1", "[::1]", "localhost", "club.localhost", "10.0.0.1", "[::ffff:127.0.0.1]",
        "2130706433", "0x7f.1", "0", "169.254.169.254", "[fe80::1]", "[fd00::1]",
    ])
    func refusesPrivateAddresses(host: String) async throws {
        let server = try await WebServerProcess.web()
        let client = HTTPClient.local { $0.permitsPrivateAddresses = false }
        let failure = try #require(await client.failure(secretRequest(server.address("/echo", host: host))))
        #expect(failure.kind == .addressNotAllowed && !failure.mayHaveReachedServer, "\(failure)")
        #expect(failure.description.contains("its address is not of the public internet"))
        #expect(!failure.description.contains("secret"))
        #expect(server.events == [])
        // The refusal has no other cause.
        guard host.hasPrefix("127") || host.lowercased().hasPrefix("localhost") else { return }
        #expect(await HTTPClient.local().failure(server.address("/echo", host: host)) == nil)
    }
}
