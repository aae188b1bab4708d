import CSystemd
import Glibc

/// A failed bus operation with its subject and cause.
package struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation, for example `org.bluez.Device1.Connect`.
    package let operation: String
    /// The subject: an object path, a bus name or a match rule.
    package let subject: String
    /// The D-Bus error name, for example `org.bluez.Error.InProgress`; nil for a local failure.
    package private(set) var name: String?
    /// The peer's message, or strerror(3) of `errno`.
    package let message: String
    /// errno(3); for a named error the number that sd-bus maps the name to.
    package private(set) var errno: Int32 = 0

    package var description: String {
        let cause = name.map { "\($0): \(message)" } ?? message
        return "\(operation) on \(subject): \(cause)"
    }

    /// Whether the connection is gone and a new one is needed.
    package var isDisconnected: Bool {
        name == nil && [ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN].contains(errno)
    }
}

extension BusError {
    /// A failure that sd-bus reported as a negative errno.
    init(operation: String, subject: String, code: Int32) {
        let errno = abs(code)
        self.init(
            operation: operation, subject: subject, message: String(cString: strerror(errno)),
            errno: errno)
    }
}

/// Throws an error for a negative sd-bus return value, and returns any other.
@discardableResult
func check(
    _ code: Int32, _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String
) throws(BusError) -> Int32 {
    guard code < 0 else { return code }
    throw BusError(operation: operation(), subject: subject(), code: code)
}
