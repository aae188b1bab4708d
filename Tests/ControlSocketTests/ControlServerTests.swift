import Foundation
import HostRuntime
import TestSupport
import Testing

@testable import ControlSocket

@Suite struct ControlServerTests {
    @Test func statusCrossesTheSocketUnchanged() async throws {
        let test = try await TestServer()
        #expect(try await test.status() == .sample)
        await test.server.stop()
    }

    @Test func statusOfOneErgOrAnErrorThatListsErgs() async throws {
        let test = try await TestServer()
        let path = test.path
        let one = try await onThread {
            var client = try ControlClient(connectingTo: path, timeout: .patience)
            return try client.call(RowgateInterface.Status.self, .init(erg: "erg-2"))
        }
        #expect(one.ergs == [.idle])
        await #expect {
            try await onThread {
                var client = try ControlClient(connectingTo: path, timeout: .patience)
                return try client.call(RowgateInterface.Status.self, .init(erg: "erg-9"))
            }
        } throws: { error in
            "\(error)"
                == "no erg is called erg-9; there are: erg-1, erg-2, erg-3, erg-4, erg-5, erg-6"
        }
        await test.server.stop()
    }

    @Test func watchStreamsUntilTheClientHangsUp() async throws {
        // Only one client is allowed, so the last request succeeds only after the first slot is free.
        var limits = ControlLimits()
        limits.clients = 1
        let test = try await TestServer(limits: limits)
        let path = test.path
        let count = try await onThread {
            var count = 0
            let client = try ControlClient(connectingTo: path, timeout: .patience)
            try client.stream(RowgateInterface.Watch.self, .init(intervalMilliseconds: 100)) { _ in
                count += 1
                return count < 5
            }
            return count
        }
        #expect(count == 5)
        let isFree = await eventually {
            if let status = try? await test.status() { status == .sample } else { false }
        }
        #expect(isFree)
        await test.server.stop()
    }

    @Test func serviceDescribesItself() async throws {
        let test = try await TestServer()
        let path = test.path
        let (info, description) = try await onThread {
            let client = try RawClient(path)
            client.send("{\"method\":\"org.varlink.service.GetInfo\"}\0")
            let info = client.readMessage()
            client.send(
                "{\"method\":\"org.varlink.service.GetInterfaceDescription\","
                    + "\"parameters\":{\"interface\":\"org.rowgate.Control\"}}\0")
            return (info, client.readMessage())
        }
        #expect(
            info.contains("\"interfaces\":[\"org.rowgate.Control\",\"org.varlink.service\"]"))
        #expect(info.contains("\"version\":\"0.1.0\""))
        #expect(description.contains("interface org.rowgate.Control\\n"))
        await test.server.stop()
    }

    private static let wrongRequests: [(request: String, reply: String)] = [
        (
            "{\"method\":\"org.rowgate.Control.Explode\"}",
            "{\"error\":\"org.varlink.service.MethodNotFound\","
                + "\"parameters\":{\"method\":\"org.rowgate.Control.Explode\"}}"
        ),
        (
            "{\"method\":\"com.example.A\"}",
            "{\"error\":\"org.varlink.service.InterfaceNotFound\","
                + "\"parameters\":{\"interface\":\"com.example\"}}"
        ),
        (
            "{\"method\":\"org.rowgate.Control.Status\",\"parameters\":{\"erg\":7}}",
            "{\"error\":\"org.varlink.service.InvalidParameter\","
                + "\"parameters\":{\"parameter\":\"erg\"}}"
        ),
        (
            "{\"method\":\"org.rowgate.Control.Watch\"}",
            "{\"error\":\"org.varlink.service.ExpectedMore\",\"parameters\":{}}"
        ),
    ]

    @Test(arguments: wrongRequests)
    func wrongRequestIsAnsweredAndTheNextOneServed(request: String, reply: String) async throws {
        let test = try await TestServer()
        let path = test.path
        let (first, second) = try await onThread {
            let client = try RawClient(path)
            client.send(request + "\0{\"method\":\"org.rowgate.Control.Status\"}\0")
            return (client.readMessage(), client.readMessage())
        }
        #expect(first == reply)
        #expect(second.contains("\"id\":\"boathouse\""))
        await test.server.stop()
    }

    @Test func errorTextOfAHandlerReachesTheClient() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "the ring is gone" }
        let test = try await TestServer(routes: { routes in
            routes.on(RowgateInterface.Status.self) { _ in throw Broken() }
        })
        await #expect {
            try await test.status()
        } throws: { error in
            "\(error)" == "the ring is gone"
        }
        await test.server.stop()
    }

    @Test func onewayGetsNoReply() async throws {
        // Varlink demands this. The first reply that comes must be that of the next call.
        let test = try await TestServer()
        let path = test.path
        let reply = try await onThread {
            let client = try RawClient(path)
            client.send(
                "{\"method\":\"org.rowgate.Control.Status\",\"oneway\":true}\0"
                    + "{\"method\":\"org.varlink.service.GetInfo\"}\0")
            return client.readMessage()
        }
        #expect(reply.contains("\"vendor\""))
        await test.server.stop()
    }

    @Test func stopHangsUpAndRemovesTheSocket() async throws {
        let test = try await TestServer()
        let path = test.path
        await #expect(throws: ControlClientError.hungUp) {
            try await onThread {
                let client = try ControlClient(connectingTo: path, timeout: .patience)
                try client.stream(RowgateInterface.Watch.self, .init()) { _ in
                    Task { await test.server.stop() }
                    return true
                }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        await #expect(throws: ControlClientError.notRunning(path: path)) { try await test.status() }
    }

    @Test func replacesTheSocketOfADeadDaemonOnly() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("control.sock")
        close(try LocalSocket.listen(at: path, backlog: 1))
        let make = {
            ControlServer(
                path: path, version: "1", routes: ControlRoutes(), runtime: SystemRuntime(),
                log: .init(subsystem: "test"))
        }
        let first = make()
        try await first.start()
        await #expect {
            try await make().start()
        } throws: { error in
            "\(error)" == "\(path): another rowgate already listens there"
        }
        await first.stop()
        try "text".write(toFile: path, atomically: false, encoding: .utf8)
        await #expect(throws: ControlSocketError.self) { try await make().start() }
    }

    @Test func groupMayConnectAndOthersMayNot() async throws {
        let test = try await TestServer()
        var status = stat()
        #expect(lstat(test.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o660)
        await test.server.stop()
    }
}
