import Dispatch
import Glibc
import TestSupport

/// A test client that sends raw text. It reads on a Dispatch thread, so that it does not block other
/// tests.
final class RawClient: Sendable {
    private let descriptor: Int32

    /// Connects to `127.0.0.1:PORT`.
    ///
    /// - Parameters:
    ///   - source: source address of the connection, for example `127.0.0.2`.
    ///   - receiveBuffer: SO_RCVBUF in bytes.
    init(_ address: String, from source: String? = nil, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if let source {
            var here = sockaddr_in()
            here.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, source, &here.sin_addr)
            let result = withUnsafePointer(to: &here) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw TestSupportError("cannot connect from \(source)") }
        }
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
        }
        var there = sockaddr_in()
        there.sin_family = sa_family_t(AF_INET)
        there.sin_port = (UInt16(address.split(separator: ":").last ?? "") ?? 0).bigEndian
        there.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = withUnsafeMutablePointer(to: &there) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestSupportError("no connection to \(address)") }
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Returns false if the server has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func get(_ path: String, method: String = "GET", _ headers: String...) {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: test"] + headers
        send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Reads up to and including `end`, or to the end of the connection.
    func read(until end: String? = nil) async -> String {
        await withCheckedContinuation { waiter in
            DispatchQueue.global().async { waiter.resume(returning: self.waitFor(end)) }
        }
    }

    private func waitFor(_ end: String?) -> String {
        var text = ""
        while let more = chunk() {
            text += more
            if let end, text.contains(end) { return text }
        }
        return text
    }

    /// The next piece; nil at the end of the connection, or after five minutes without one.
    private func chunk() -> String? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
