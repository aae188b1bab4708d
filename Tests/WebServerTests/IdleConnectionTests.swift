import Glibc
import HostRuntime
import Testing

@testable import WebServer

/// Open connections without a request.
@Suite struct IdleConnectionTests {
    /// Serves the path of each request while `body` runs.
    private func serving(
        _ limits: WebLimits, _ body: (String) async throws -> Void
    ) async throws {
        let server = try WebServer(
            at: try #require(ListenAddress("127.0.0.1:0")), limits: limits, names: ["test"],
            runtime: SystemRuntime()
        ) { request in .json(Array("at \(request.path).".utf8)) }
        do { try await body(server.address) } catch {
            server.stop()
            throw error
        }
        server.stop()
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: te"])
    func answersNewRequestAtOnceWhileTenNetworksHoldIdleConnections(begun: String) async throws {
        // No idle connection ends by itself while a client waits for its answer.
        var limits = WebLimits.patient
        limits.connections = 60
        try await serving(limits) { address in
            var idle: [RawClient] = []
            for number in 0..<200 {
                let client = try RawClient(address, from: "127.0.0.\(2 + number % 10)")
                if !begun.isEmpty { client.send(begun) }
                idle.append(client)
            }
            let client = try RawClient(address)
            client.get("/now")
            let answer = await client.read(until: "now.")
            #expect(answer.contains(" 200 OK"), "\(answer)")
            client.get("/again")
            #expect(await client.read(until: "again.").contains(" 200 OK"))
            withExtendedLifetime(idle) {}
        }
    }
}
