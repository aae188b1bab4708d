import Bytes
import Glibc
import HostRuntime

/// A Unix socket that answers each line with a line, for any number of clients.
///
/// Confined to the queue of its executor, hence the unchecked conformance: its handlers there refer
/// to it.
final class ControlSocket: @unchecked Sendable {
    private let path: String
    private let listener: Int32
    private let executor: SerialQueueExecutor
    private let answer: @Sendable (String) -> String
    private var source: ReadinessSource?
    private var clients: [Int32: Client] = [:]

    private struct Client {
        var source: ReadinessSource
        var lines = LineSplitter()
    }

    /// Listens at `path`, which must not exist, or be a socket without a listener.
    ///
    /// - Parameter answer: called on the queue with a line; returns the answer, both without line end.
    init(
        path: String, on executor: SerialQueueExecutor,
        answer: @escaping @Sendable (String) -> String
    ) throws(ControlSocketError) {
        self.path = path
        self.executor = executor
        self.answer = answer
        listener = try Self.listen(at: path)
        let descriptor = listener
        source = ReadinessSource(.read, descriptor: descriptor, on: executor, closing: true) {
            @Sendable [weak self] in
            self?.accept()
        }
        source?.resume()
    }

    private static func listen(at path: String) throws(ControlSocketError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw ControlSocketError(path: path, code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                | Int32(SOCK_CLOEXEC.rawValue), 0)
        unlink(path)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, size)
            }
        }
        guard bound == 0, Glibc.listen(descriptor, 8) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw ControlSocketError(path: path, code: code)
        }
        return descriptor
    }

    /// Stops listening and removes the socket. Idempotent.
    func close() {
        guard let source else { return }
        source.cancel()
        self.source = nil
        for client in clients.values { client.source.cancel() }
        clients = [:]
        unlink(path)
    }

    private func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let source = ReadinessSource(
                .read, descriptor: descriptor, on: executor, closing: true
            ) { @Sendable [weak self] in
                self?.read(descriptor)
            }
            clients[descriptor] = Client(source: source)
            source.resume()
        }
    }

    private func read(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while clients[descriptor] != nil {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 && errno == EAGAIN { return }
            guard count > 0 else { return drop(descriptor) }
            for line in clients[descriptor]?.lines.consume(buffer[..<count]) ?? [] {
                answer(line, to: descriptor)
            }
        }
    }

    /// A client that sends a line without end, or does not read its answers, is disconnected.
    private func answer(_ line: LineSplitter.Line, to descriptor: Int32) {
        guard case .whole(let bytes) = line, clients[descriptor] != nil else {
            return drop(descriptor)
        }
        let reply = Array((answer(String(decoding: bytes, as: UTF8.self)) + "\n").utf8)
        let sent = send(descriptor, reply, reply.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        if sent != reply.count { drop(descriptor) }
    }

    private func drop(_ descriptor: Int32) {
        clients.removeValue(forKey: descriptor)?.source.cancel()
    }
}

/// The control socket could not be created.
package struct ControlSocketError: Error, Equatable, CustomStringConvertible {
    package let path: String
    /// errno(3).
    package let code: Int32

    package var description: String { "control socket \(path): \(String(cString: strerror(code)))" }
}
