import Glibc

/// Looks for listening sockets of this machine.
package enum NetworkListener {
    /// Whether a program listens on `port` of all addresses of this machine.
    ///
    /// Binding to an otherwise unused loopback address fails if a socket listens on all addresses, and succeeds
    /// if sockets listen only on 127.0.0.1 or other single addresses. Nothing connects, so the program's log has
    /// no line about it. With SO_REUSEADDR, a socket that does not listen does not keep others from binding.
    ///
    /// - Returns: false also if the kernel does not permit the port, as below 1024.
    package static func isOpen(port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0002).bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return bound != 0 && errno == EADDRINUSE
    }
}
