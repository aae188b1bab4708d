import Foundation
import HostRuntime
import TestSupport

@testable import ControlSocket

/// Runs blocking work on a thread of its own, so that it does not take one from the pool on which
/// the server's handlers run.
func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

extension Duration {
    /// How long an answer may take that is certain to come.
    static var patience: Duration { .seconds(300) }
}

/// A control server on a socket in a folder of its own; `server.stop()` at the end.
final class TestServer: Sendable {
    let path: String
    let server: ControlServer
    private let folder: TemporaryFolder

    init(
        limits: ControlLimits = ControlLimits(),
        routes: (inout ControlRoutes) -> Void = { $0.onStatus { .sample } }
    ) async throws {
        folder = try TemporaryFolder()
        path = folder.path("control.sock")
        var table = ControlRoutes()
        routes(&table)
        server = ControlServer(
            path: path, version: "0.1.0", routes: table, runtime: SystemRuntime(),
            log: SystemLog(subsystem: "test", threshold: .error), limits: limits)
        try await server.start()
    }

    /// A test that throws leaves its server running.
    deinit {
        Task { [server, folder] in
            await server.stop()
            _ = folder
        }
    }

    /// The status by way of a client of its own: proof that the server still serves.
    func status() async throws -> StatusReply {
        try await onThread { [path] in
            var client = try ControlClient(connectingTo: path, timeout: .patience)
            return try client.call(RowgateInterface.Status.self, .init())
        }
    }
}

/// A client that knows no protocol: it sends bytes and shows what comes back.
final class RawClient: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws { descriptor = try LocalSocket.connect(to: path) }

    deinit { close(descriptor) }

    /// How many bytes the server took before it hung up, or all.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }
            sent += count
        }
        return sent
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Tells the server that nothing more will be asked.
    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything until the server hangs up.
    func readToEnd() -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count <= 0 { return String(decoding: text, as: UTF8.self) }
            text += chunk[..<count]
        }
    }

    /// One message without its NUL, or what came before the server hung up.
    func readMessage() -> String {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1, byte != 0 { text.append(byte) }
        return String(decoding: text, as: UTF8.self)
    }
}
