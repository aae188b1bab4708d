import Glibc

/// Where a server listens: `127.0.0.1:8080`, `[::1]:8080`; a name would be ambiguous.
package struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// Numeric, without brackets.
    package let host: String
    /// 0 for any that is free.
    package let port: UInt16
    private let isVersion6: Bool

    /// nil unless `text` is an address in figures, a colon, and a port.
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

    /// The same host with another port: the one that the kernel has chosen.
    func with(port: UInt16) -> String { isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// A socket that listens here, non-blocking; the caller closes it.
    ///
    /// - Parameter sendBuffer: SO_SNDBUF of every connection, which inherits it.
    func listen(sendBuffer: Int32) throws(WebServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw failure("socket") }
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        set(descriptor, SOL_SOCKET, SO_SNDBUF, sendBuffer)
        // [::] is every address of both kinds.
        if isVersion6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        guard bindTo(descriptor) == 0 else { throw failure("bind", closing: descriptor) }
        guard Glibc.listen(descriptor, Self.backlog) == 0 else {
            throw failure("listen", closing: descriptor)
        }
        return descriptor
    }

    /// Connections that wait to be accepted. A client that finds this full tries again only after a
    /// second.
    private static let backlog: Int32 = 1024

    private func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether others than this machine get here.
    package var isOpen: Bool { host != "::1" && !host.hasPrefix("127.") }

    /// Whether somebody takes connections here at this moment; a server of this machine says so at once.
    package var isServed: Bool {
        guard let descriptor = connected() else { return false }
        close(descriptor)
        return true
    }

    /// A socket that is connected to a server here; nil where nobody takes connections.
    func connected() -> Int32? {
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

    /// A call that takes this address.
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

    /// The port that a socket listens on.
    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            _ = getsockname(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        // Both kinds of address have it at the same place.
        return UInt16(bigEndian: address.sin6_port)
    }

    private func failure(_ operation: String, closing descriptor: Int32? = nil) -> WebServerError {
        let code = errno
        if let descriptor { close(descriptor) }
        return WebServerError(operation: operation, address: description, code: code)
    }
}

/// Why there is no server.
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
            return "cannot listen at \(address): \(cause); ports below 1024 are not for everybody"
        case EADDRNOTAVAIL:
            return "cannot listen at \(address): this machine does not have that address"
        default: return "cannot listen at \(address): \(operation): \(cause)"
        }
    }
}
