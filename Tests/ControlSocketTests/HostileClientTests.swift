import Foundation
import TestSupport
import Testing

@testable import ControlSocket

@Suite(.serialized) struct HostileClientTests {
    @Test(arguments: [
        "\0", "hello\0", "{}\0", "[]\0", "{\"method\":7}\0", "\u{1}\u{2}\u{3}\0",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n\0",
    ])
    func garbageIsAnsweredAndHungUpOn(text: String) async throws {
        // A valid request follows the garbage; it must stay unanswered.
        let test = try await TestServer()
        let path = test.path
        let reply = try await onThread {
            let client = try RawClient(path)
            client.send(text + "{\"method\":\"org.rowgate.Control.Status\"}\0")
            return client.readToEnd()
        }
        #expect(
            reply == "{\"error\":\"org.rowgate.Control.MalformedRequest\",\"parameters\":"
                + "{\"message\":\"a request is a JSON object with a method\"}}\0")
        #expect(try await test.status() == .sample)
        await test.server.stop()
    }

    @Test func rejectsDeepNesting() async throws {
        // 60000 opening brackets are within the size limit.
        let test = try await TestServer()
        let path = test.path
        let reply = try await onThread {
            let client = try RawClient(path)
            client.send(
                "{\"method\":\"org.rowgate.Control.Status\",\"parameters\":"
                    + String(repeating: "[", count: 60_000) + "\0")
            return client.readToEnd()
        }
        #expect(reply.contains("MalformedRequest"))
        #expect(try await test.status() == .sample)
        await test.server.stop()
    }

    @Test func mutatedRequestsAreAnsweredOrRefused() async {
        let seed: UInt64 = 7
        var random = SeededGenerator(seed: seed)
        var routes = ControlRoutes()
        routes.onStatus { .sample }
        let request = Array(
            "{\"method\":\"org.rowgate.Control.Status\",\"parameters\":{\"erg\":\"erg-1\"}}".utf8)
        var refused = 0
        var answered = 0
        for round in 0..<3000 {
            var mutated = request
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: mutated.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: mutated[index] = UInt8.random(in: 1...255, using: &random)
                case 1: mutated.remove(at: index)
                default: mutated.insert(contentsOf: Array("{[\"".utf8), at: index)
                }
            }
            switch await routes.makeCall(for: mutated).next() {
            case .hangUp: refused += 1
            case .last(let reply):
                answered += 1
                #expect(reply.first == UInt8(ascii: "{"), "seed \(seed) round \(round)")
            default: Issue.record("seed \(seed) round \(round): neither answered nor refused")
            }
        }
        #expect(refused > 100)
        #expect(answered > 100)
    }

    @Test func rejectsTenMegabytesWithoutNUL() async throws {
        let test = try await TestServer()
        let path = test.path
        let (sent, reply) = try await onThread {
            let client = try RawClient(path)
            let sent = client.send([UInt8](repeating: UInt8(ascii: "x"), count: 10_000_000))
            return (sent, client.readToEnd())
        }
        #expect(sent < 1_000_000)
        #expect(reply.contains("org.rowgate.Control.RequestTooLarge"))
        #expect(reply.contains("at most 65536 bytes"))
        #expect(try await test.status() == .sample)
        await test.server.stop()
    }

    @Test func halfClosedClientStillGetsItsAnswer() async throws {
        // As with `printf ... | nc -U`.
        let test = try await TestServer()
        let path = test.path
        let reply = try await onThread {
            let client = try RawClient(path)
            client.send("{\"method\":\"org.rowgate.Control.Status\"}\0")
            client.endInput()
            return client.readToEnd()
        }
        #expect(reply.hasSuffix("\0"))
        #expect(reply.contains("\"id\":\"boathouse\""))
        await test.server.stop()
    }

    @Test func closingInMidRequestFreesTheSlot() async throws {
        // 100 clients use 2 slots; each closes at another byte of a request.
        var limits = ControlLimits()
        limits.clients = 2
        let test = try await TestServer(limits: limits)
        let path = test.path
        let request = Array("{\"method\":\"org.rowgate.Control.Status\"}\0".utf8)
        try await onThread {
            for round in 0..<100 {
                let client = try RawClient(path)
                client.send(Array(request.prefix(round % (request.count + 1))))
            }
        }
        let isFree = await eventually {
            if let status = try? await test.status() { status == .sample } else { false }
        }
        #expect(isFree)
        await test.server.stop()
    }

    @Test func clientGoneBeforeItIsReadFreesItsSlot() async throws {
        // The server's queue is blocked meanwhile, so that bytes and end of input arrive together.
        var limits = ControlLimits()
        limits.clients = 1
        let test = try await TestServer(limits: limits)
        let path = test.path
        let gate = DispatchSemaphore(value: 0)
        test.server.executor.async { gate.wait() }
        try await onThread { try RawClient(path).send("{\"method\":") }
        gate.signal()
        let isFree = await eventually {
            if let status = try? await test.status() { status == .sample } else { false }
        }
        #expect(isFree)
        await test.server.stop()
    }

    @Test func thousandConnectionsLeaveTheServerServing() async throws {
        // 16 connections stay open; the server refuses the other 984 with an error.
        var limits = ControlLimits()
        limits.idle = .seconds(3600)
        let test = try await TestServer(limits: limits)
        let path = test.path
        let refused = try await onThread {
            var held: [RawClient] = []
            for _ in 0..<16 { held.append(try RawClient(path)) }
            var refused = 0
            for _ in 16..<1000 {
                let client = try RawClient(path)
                if client.readToEnd().contains("TooManyClients") { refused += 1 }
            }
            withExtendedLifetime(held) {}
            return refused
        }
        #expect(refused == 984)
        let isFree = await eventually {
            if let status = try? await test.status() { status == .sample } else { false }
        }
        #expect(isFree)
        await test.server.stop()
    }

    @Test func fullServerRefusesWithAMessage() async throws {
        var limits = ControlLimits()
        limits.clients = 1
        let test = try await TestServer(limits: limits)
        let holder = try RawClient(test.path)
        await #expect {
            try await test.status()
        } throws: { error in
            "\(error)" == "too many clients are connected; try again in a moment"
        }
        withExtendedLifetime(holder) {}
        await test.server.stop()
    }

    @Test func pipelinedFloodIsAnsweredInOrder() async throws {
        // The client sends 3000 requests before it reads. The server may stop reading meanwhile.
        var limits = ControlLimits()
        limits.stall = .patience
        let test = try await TestServer(limits: limits)
        let path = test.path
        let request = Array("{\"method\":\"org.varlink.service.GetInfo\"}\0".utf8)
        let replies = try await onThread {
            let client = try RawClient(path)
            Thread.detachNewThread {
                for _ in 0..<3000 { client.send(request) }
                client.endInput()
            }
            return client.readToEnd().utf8.count { $0 == 0 }
        }
        #expect(replies == 3000)
        await test.server.stop()
    }

    @Test func streamToAClientThatDoesNotReadIsBounded() async throws {
        // Replies have 64 KiB each. The source must not be called again once the socket is full.
        let produced = Counter()
        let test = try await TestServer(routes: { routes in
            routes.onStream(RowgateInterface.Watch.self) { _ in
                {
                    var reply = StatusReply.sample
                    reply.reasons = [String(repeating: "x", count: 65_536)]
                    produced.add()
                    return .more(reply)
                }
            }
        })
        let path = test.path
        let client = try RawClient(path)
        client.send("{\"method\":\"org.rowgate.Control.Watch\",\"more\":true}\0")
        var seen = 0
        let hasStopped = await eventually {
            let before = seen
            seen = produced.count
            try? await Task.sleep(for: .milliseconds(50))
            return seen > 0 && seen == before
        }
        #expect(hasStopped)
        #expect(seen < 20)
        withExtendedLifetime(client) {}
        await test.server.stop()
    }
}

/// A counter that several threads may use.
private final class Counter: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var total = 0
    func add() { lock.withLock { total += 1 } }
    var count: Int { lock.withLock { total } }
}
