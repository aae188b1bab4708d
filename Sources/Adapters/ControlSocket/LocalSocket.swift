import Glibc

/// A failed system call of the control socket.
package struct ControlSocketError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The failed operation, for example `bind`.
    package let operation: String
    /// Path of the socket.
    package let path: String
    /// errno(3)
    package let code: Int32

    package var description: String {
        let cause = String(cString: strerror(code))
        switch code {
        case EADDRINUSE: return "\(path): another rowgate already listens there"
        case ENOENT, ENOTDIR:
            return "\(path): \(operation): \(cause); the service unit's RuntimeDirectory= creates "
                + "its folder"
        default: return "\(path): \(operation): \(cause)"
        }
    }
}

/// Unix stream sockets by path (unix(7)).
enum LocalSocket {
    /// Returns a non-blocking socket that listens at `path`; the caller closes it.
    ///
    /// Replaces the socket file of a dead daemon, but not that of a running one. The file's mode is
    /// 0660: owner and group may connect, because connecting needs write permission.
    static func listen(at path: String, backlog: Int32) throws(ControlSocketError) -> Int32 {
        let descriptor = try make(path)
        do {
            try removeStale(path)
            try check(withAddress(path) { bind(descriptor, $0, $1) }, "bind", path)
            // Clients can connect only after listen(2), so the mode is never wider than this.
            try check(chmod(path, 0o660), "chmod", path)
            try check(Glibc.listen(descriptor, backlog), "listen", path)
            try setNonBlocking(descriptor, path)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Returns a connected, blocking socket; the caller closes it.
    static func connect(to path: String) throws(ControlSocketError) -> Int32 {
        let descriptor = try make(path)
        guard withAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            let code = errno
            close(descriptor)
            throw ControlSocketError(operation: "connect", path: path, code: code)
        }
        return descriptor
    }

    static func setNonBlocking(
        _ descriptor: Int32, _ path: String
    ) throws(ControlSocketError) {
        // The Glibc module hides accept4(2), so both flags are set afterwards.
        try check(fcntl(descriptor, F_SETFD, FD_CLOEXEC), "fcntl", path)
        let flags = fcntl(descriptor, F_GETFL)
        try check(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK), "fcntl", path)
    }

    private static func make(_ path: String) throws(ControlSocketError) -> Int32 {
        guard !path.isEmpty, path.utf8.count <= 107, !path.utf8.contains(0) else {
            throw ControlSocketError(operation: "socket path", path: path, code: ENAMETOOLONG)
        }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        try check(descriptor, "socket", path)
        return descriptor
    }

    private static func removeStale(_ path: String) throws(ControlSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlSocketError(
                operation: "bind over a file that is not a socket", path: path, code: EEXIST)
        }
        let probe: Int32
        do {
            probe = try connect(to: path)
        } catch {
            guard error.code == ECONNREFUSED else { throw error }
            try check(unlink(path), "unlink", path)
            return
        }
        close(probe)
        throw ControlSocketError(operation: "bind", path: path, code: EADDRINUSE)
    }

    private static func check(
        _ result: Int32, _ operation: String, _ path: String
    ) throws(ControlSocketError) {
        if result < 0 { throw ControlSocketError(operation: operation, path: path, code: errno) }
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { field in
            field.copyBytes(from: path.utf8)
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
