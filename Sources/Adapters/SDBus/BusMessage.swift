import CSystemd
import Glibc

/// A message that is read or written only on the queue of its connection.
///
/// Reading goes through the body from front to back. A read of the wrong type throws and does not
/// move the cursor.
package struct BusMessage: ~Copyable {
    /// Valid for the lifetime of this value, which holds a reference.
    let raw: OpaquePointer

    /// Creates a message to write and send: `make` stores it in its argument.
    init(
        _ operation: String, _ path: String, making make: (inout OpaquePointer?) -> Int32
    ) throws(BusError) {
        var made: OpaquePointer?
        try check(make(&made), operation, path)
        guard let made else { throw BusError(operation: operation, subject: path, code: -ENOMEM) }
        raw = made
    }

    /// Adds a reference to an existing message.
    init(retaining raw: OpaquePointer) { self.raw = sd_bus_message_ref(raw) }

    deinit { sd_bus_message_unref(raw) }

    // MARK: - Head

    /// Path of the sender or of the called object; nil in a reply, which has no interface or member
    /// either.
    package var path: String? { text(sd_bus_message_get_path(raw)) }
    /// `org.freedesktop.DBus.Properties`.
    package var interface: String? { text(sd_bus_message_get_interface(raw)) }
    /// The method or signal.
    package var member: String? { text(sd_bus_message_get_member(raw)) }
    /// Unique name; nil before the message was sent.
    package var sender: String? { text(sd_bus_message_get_sender(raw)) }
    /// Signature of all arguments; empty without arguments.
    package var signature: String { text(sd_bus_message_get_signature(raw, 1)) ?? "" }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    func failure(_ code: Int32, _ what: String) -> BusError {
        BusError(operation: what, subject: member ?? signature, code: code)
    }

    @discardableResult
    func checked(_ code: Int32, _ what: @autoclosure () -> String) throws(BusError) -> Int32 {
        guard code < 0 else { return code }
        throw failure(code, what())
    }

    static func typeCode(_ type: Unicode.Scalar) -> CChar { CChar(type.value) }
}
