import Glibc

/// IP address and port of a listening server: `127.0.0.1:8080`, `[::1]:8080`. Host names are not
/// accepted, because they are ambiguous.
package struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// IP address, without brackets.
    package let host: String
    /// 0 for any free port.
    package let port: UInt16
    private let isVersion6: Bool

    /// Returns nil unless `text` is an IP address, a colon and a port.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        isVersion6 = host.hasPrefix("[") && host.hasSuffix("]")
        if isVersion6 { host = host.dropFirst().dropLast() }
        self.host = String(host)
        self.port = port
        var address = in6_addr()
        guard inet_pton(isVersion6 ? AF_INET6 : AF_INET, self.host, &address) == 1 else {
            return nil
        }
    }

    package var description: String { with(port: port) }

    /// The same host with another port, for a port that the kernel has chosen.
    func with(port: UInt16) -> String { isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Returns a non-blocking listening socket; the caller closes it.
    ///
    /// - Parameter sendBuffer: SO_SNDBUF, which accepted connections inherit.
    func listen(sendBuffer: Int32) throws(WebServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw failure("socket") }
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        set(descriptor, SOL_SOCKET, SO_SNDBUF, sendBuffer)
        // [::] listens for IPv4 and IPv6.
        if isVersion6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        guard bindTo(descriptor) == 0 else { throw failure("bind", closing: descriptor) }
        guard Glibc.listen(descriptor, Self.backlog) == 0 else {
            throw failure("listen", closing: descriptor)
        }
        return descriptor
    }

    /// Maximum number of connections before accept(2). If it is reached, clients retry after a second.
    private static let backlog: Int32 = 1024

    private func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether other machines can connect.
    package var isOpen: Bool { host != "::1" && !host.hasPrefix("127.") }

    /// Whether a server accepts connections now. Meant for addresses of this machine: connect(2) blocks.
    package var isServed: Bool {
        guard let descriptor = connectedSocket() else { return false }
        close(descriptor)
        return true
    }

    /// Returns a socket connected to this address; nil if that failed.
    func connectedSocket() -> Int32? {
        let descriptor = socket(
            isVersion6 ? AF_INET6 : AF_INET,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        guard with(descriptor, Glibc.connect) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private func bindTo(_ descriptor: Int32) -> Int32 { with(descriptor, Glibc.bind) }

    /// Calls `bind` or `connect` with this address.
    private func with(_ descriptor: Int32, _ call: Call) -> Int32 {
        if isVersion6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            return Self.make(call, descriptor, &address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return Self.make(call, descriptor, &address)
    }

    private typealias Call = (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32

    private static func make<Address>(
        _ call: Call, _ descriptor: Int32, _ address: inout Address
    ) -> Int32 {
        let length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            call(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, length)
        }
    }

    /// The local port of a socket.
    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            _ = getsockname(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        // IPv4 and IPv6 addresses have the port at the same offset.
        return UInt16(bigEndian: address.sin6_port)
    }

    private func failure(_ operation: String, closing descriptor: Int32? = nil) -> WebServerError {
        let code = errno
        if let descriptor { close(descriptor) }
        return WebServerError(operation: operation, address: description, code: code)
    }
}

/// Why the server could not start.
package struct WebServerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call that failed, for example `bind`.
    package let operation: String
    package let address: String
    /// errno(3)
    package let code: Int32

    package var description: String {
        let cause = String(cString: strerror(code))
        switch code {
        case EADDRINUSE:
            return "cannot listen at \(address): another program listens there; choose another port"
        case EACCES:
            return
                "cannot listen at \(address): \(cause); ports below 1024 need a privilege (logbook.toml(5), listen)"
        case EADDRNOTAVAIL:
            return "cannot listen at \(address): this machine does not have that address"
        default: return "cannot listen at \(address): \(operation): \(cause)"
        }
    }
}
