import Glibc

/// A failed operation on a ring log, with the errno of the system.
package struct RingLogError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The step that failed; the meaning of an errno depends on it.
    package enum Operation: String, Sendable {
        /// `open` also fails with `EEXIST` if another ring has replaced the one in use.
        case open, lock, allocate, measure, read, write, sync, rename, remove
        /// The file at the path is no longer the one in use (`ESTALE`), or lacks written
        /// data (`ENODATA`).
        case locate
        /// The file is not a ring log (`ENOTSUP`), is damaged beyond reading (`EUCLEAN`), or has a
        /// later format version (`EPROTONOSUPPORT`).
        case recognize
        /// The record is longer than the ring accepts (`EMSGSIZE`).
        case append
        /// The caller's snapshot is longer than a segment header holds (`EMSGSIZE`).
        case snapshot
    }

    /// The failed step. It distinguishes, for example, a full disk from a foreign file.
    package let operation: Operation
    /// An errno value.
    package let code: Int32
    /// The path of the file.
    package let path: String

    package init(_ operation: Operation, code: Int32, path: String) {
        self.operation = operation
        self.code = code
        self.path = path
    }

    package var description: String {
        let reason =
            switch (operation, code) {
            case (.recognize, EPROTONOSUPPORT): "written by a later version of this program"
            case (.recognize, EUCLEAN): "a ring log that is damaged beyond reading"
            case (.recognize, _): "not a ring log, and left as it is"
            case (.open, EEXIST): "another ring log has taken its place"
            case (.locate, ENODATA): "its content is gone"
            case (.locate, _): "moved away or removed while in use"
            case (_, ETIMEDOUT): "the disk does not answer"
            case (.lock, EWOULDBLOCK): "another process is writing to it"
            default: "\(operation.rawValue): " + String(cString: strerror(code))
            }
        return "\(path): \(reason)"
    }
}
