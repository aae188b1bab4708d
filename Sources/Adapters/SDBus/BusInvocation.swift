import CSystemd
import Glibc
import HostRuntime

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
