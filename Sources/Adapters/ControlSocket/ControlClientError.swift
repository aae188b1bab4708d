import Glibc

/// Why a request failed, with the remedy.
package enum ControlClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No process listens at the path.
    case notRunning(path: String)
    /// The caller may not use the socket; members of `group` may. `group` is nil if unknown.
    case permissionDenied(path: String, group: String?)
    /// Another system call error.
    case failed(ControlSocketError)
    /// The daemon closed the connection before it replied.
    case hungUp
    /// No reply came in time.
    case timedOut(after: Duration)
    /// The received bytes are not a valid reply.
    case malformedReply(String)
    /// The daemon replied with an error.
    case errorReply(ControlFailure)
    /// A signal interrupted the wait.
    case interrupted

    /// The error without the remedy.
    package var cause: String {
        switch self {
        case .notRunning(let path): "rowgate is not running (no process listens at \(path))"
        case .permissionDenied(let path, let group?):
            "permission denied: \(path) is for the group \(group)"
        case .permissionDenied(let path, nil): "permission denied: \(path)"
        case .failed(let error): error.description
        case .hungUp: "rowgate closed the connection before it replied"
        case .timedOut(let limit):
            "rowgate did not answer within \(limit.components.seconds) s"
        case .malformedReply(let reason): "rowgate sent an invalid reply (\(reason))"
        case .errorReply(let failure): failure.description
        case .interrupted: "interrupted"
        }
    }

    /// The remedy, with its command; nil if there is none beyond `cause`.
    package var remedy: String? {
        switch self {
        case .notRunning: "start it: sudo systemctl start rowgate"
        case .permissionDenied(_, let group?):
            "join it: sudo usermod -aG \(group) $USER, then log in again"
        case .permissionDenied(_, nil): "try again with sudo"
        case .hungUp, .timedOut: "see why: journalctl -u rowgate -n 20"
        case .malformedReply:
            "check that rowgate and rowgatectl have the same version: rowgatectl --version"
        case .failed, .errorReply, .interrupted: nil
        }
    }

    package var description: String { remedy.map { "\(cause); \($0)" } ?? cause }
}

extension ControlClientError {
    /// Translates a failed connect.
    init(connecting error: ControlSocketError) {
        switch error.code {
        case ENOENT, ENOTDIR, ECONNREFUSED: self = .notRunning(path: error.path)
        case EACCES, EPERM:
            self = .permissionDenied(path: error.path, group: Self.groupName(of: error.path))
        default: self = .failed(error)
        }
    }

    /// The group of the socket, or of its folder if the socket cannot be examined.
    private static func groupName(of path: String) -> String? {
        var status = stat()
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard stat(path, &status) == 0 || stat(folder, &status) == 0 else { return nil }
        // For the group root the remedy is sudo, not joining the group.
        guard status.st_gid != 0 else { return nil }
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getgrgid_r(status.st_gid, &entry, &buffer, buffer.count, &found) == 0,
            found != nil, let name = entry.gr_name
        else { return nil }
        return String(cString: name)
    }
}
