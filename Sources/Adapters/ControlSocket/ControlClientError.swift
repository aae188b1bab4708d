import Glibc

/// Why a request got no answer, with the remedy.
package enum ControlClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nobody listens there.
    case notRunning(path: String)
    /// The socket is somebody else's; `group` may use it, when it could be found out.
    case permissionDenied(path: String, group: String?)
    /// A system call failed otherwise.
    case failed(ControlSocketError)
    /// The daemon hung up before it answered.
    case hungUp
    /// No answer came in time.
    case timedOut(after: Duration)
    /// What came is not a reply.
    case malformedReply(String)
    /// The daemon answered with an error.
    case errorReply(ControlFailure)
    /// A signal ended the wait.
    case interrupted

    /// What is the matter, without the remedy.
    package var cause: String {
        switch self {
        case .notRunning(let path): "rowgate is not running (nobody listens at \(path))"
        case .permissionDenied(let path, let group?):
            "permission denied: \(path) is for the group \(group)"
        case .permissionDenied(let path, nil): "permission denied: \(path)"
        case .failed(let error): error.description
        case .hungUp: "rowgate hung up before it answered"
        case .timedOut(let limit):
            "rowgate did not answer within \(limit.components.seconds) s"
        case .malformedReply(let reason): "rowgate's answer is not understood (\(reason))"
        case .errorReply(let failure): failure.description
        case .interrupted: "interrupted"
        }
    }

    /// What mends it, with the command; nil where the cause says all there is to say.
    package var remedy: String? {
        switch self {
        case .notRunning: "start it: sudo systemctl start rowgate"
        case .permissionDenied(_, let group?):
            "join it: sudo usermod -aG \(group) $USER, then log in again"
        case .permissionDenied(_, nil): "try again with sudo"
        case .hungUp, .timedOut: "see why: journalctl -u rowgate -n 20"
        case .malformedReply:
            "are rowgate and rowgatectl of one version? rowgatectl --version"
        case .failed, .errorReply, .interrupted: nil
        }
    }

    package var description: String { remedy.map { "\(cause); \($0)" } ?? cause }
}

extension ControlClientError {
    /// What the failure of a connect means for a person.
    init(connecting error: ControlSocketError) {
        switch error.code {
        case ENOENT, ENOTDIR, ECONNREFUSED: self = .notRunning(path: error.path)
        case EACCES, EPERM:
            self = .permissionDenied(path: error.path, group: Self.groupName(of: error.path))
        default: self = .failed(error)
        }
    }

    /// The group of the socket, or of its folder when that is as far as we may look.
    private static func groupName(of path: String) -> String? {
        var status = stat()
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard stat(path, &status) == 0 || stat(folder, &status) == 0 else { return nil }
        // The file of root's own group is reached by becoming root, not by joining it.
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
