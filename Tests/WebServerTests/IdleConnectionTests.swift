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

    /// Lets this process have the 2,000 sockets of the clients, and those of the server.
    private func allowDescriptors() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < 8192 else { return }
        limit.rlim_cur = min(8192, limit.rlim_max)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        try #require(limit.rlim_cur >= 4096, "a hard limit below 4096 descriptors")
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: te"])
    func answersNewRequestAtOnceWhileManyNetworksHoldIdleConnections(begun: String) async throws {
        try allowDescriptors()
        // No idle connection ends by itself while a client waits for its answer.
        var limits = WebLimits.patient
        limits.connections = WebLimits().connections
        try await serving(limits) { address in
            var idle: [RawClient] = []
            for number in 0..<2000 {
                let client = try RawClient(address, from: "127.0.0.\(2 + number % 20)")
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
