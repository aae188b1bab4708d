import Foundation
import HostRuntime
import TestSupport

@testable import ControlSocket

/// Runs blocking work on a new thread, so that it does not block the pool of the server's handlers.
func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

extension Duration {
    /// Timeout for a reply that is certain to come.
    static var patience: Duration { .seconds(300) }
}

/// A control server with its socket in a temporary folder. Call `server.stop()` at the end.
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

    /// Stops the server of a test that threw.
    deinit {
        Task { [server, folder] in
            await server.stop()
            _ = folder
        }
    }

    /// Requests the status with a new client.
    func status() async throws -> StatusReply {
        try await onThread { [path] in
            var client = try ControlClient(connectingTo: path, timeout: .patience)
            return try client.call(RowgateInterface.Status.self, .init())
        }
    }
}

/// A client without a protocol: sends and receives raw bytes.
final class RawClient: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws { descriptor = try LocalSocket.connect(to: path) }

    deinit { close(descriptor) }

    /// Sends bytes until the server closes; returns how many were sent.
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

    /// Closes the sending direction.
    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the server closes.
    func readToEnd() -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count <= 0 { return String(decoding: text, as: UTF8.self) }
            text += chunk[..<count]
        }
    }

    /// Reads one message without its NUL, or up to the end if the server closes.
    func readMessage() -> String {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1, byte != 0 { text.append(byte) }
        return String(decoding: text, as: UTF8.self)
    }
}
