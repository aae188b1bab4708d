import CSystemd
import Glibc
import HostRuntime

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

/// A method call on an object of ours, answered at once or later.
///
/// Confined to the queue of its connection, hence the unchecked conformance: an actor on that queue
/// may store it until the answer is known.
package final class BusInvocation: @unchecked Sendable {
    /// The call; its arguments are read from front to back.
    package let message: BusMessage
    /// Path of the called object. Header fields that the call lacks are empty.
    package let path: String
    /// `org.bluez.Device1`.
    package let interface: String
    /// The name of the method.
    package let member: String
    /// Unique name of the caller, for example `:1.42`.
    package let sender: String
    private let executor: SerialQueueExecutor
    /// Makes the connection send its queue.
    private let onAnswer: () -> Void
    private var answered = false

    init(
        _ message: consuming BusMessage, on executor: SerialQueueExecutor,
        onAnswer: @escaping () -> Void
    ) {
        path = message.path ?? ""
        interface = message.interface ?? ""
        member = message.member ?? ""
        sender = message.sender ?? ""
        self.message = message
        self.executor = executor
        self.onAnswer = onAnswer
    }

    /// Answers with what `writing` appends. A second answer to the same call is ignored.
    package func reply(
        writing: (borrowing BusMessage) throws(BusError) -> Void = {
            (_: borrowing BusMessage) throws(BusError) in
        }
    ) throws(BusError) {
        let answer = try BusMessage("answer \(member)", path) {
            sd_bus_message_new_method_return(message.raw, &$0)
        }
        try writing(answer)
        try send(answer)
    }

    /// Answers with a D-Bus error.
    package func fail(name: String, message text: String) throws(BusError) {
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        sd_bus_error_set(&error, name, text)
        let refusal = try BusMessage("refuse \(member)", path) {
            sd_bus_message_new_method_error(message.raw, &$0, &error)
        }
        try send(refusal)
    }

    private func send(_ answer: consuming BusMessage) throws(BusError) {
        guard !answered else { return }
        answered = true
        executor.checkIsolated()
        // Without a bus argument, sd-bus uses the bus for which the message was made.
        try check(sd_bus_send(nil, answer.raw, nil), "answer \(member)", path)
        onAnswer()
    }
}
