import CSystemd
import Glibc

/// A call that waits for its reply. Confined to the connection's queue, which also keeps it alive
/// while sd-bus has a pointer to it.
final class PendingCall: @unchecked Sendable {
    enum Outcome {
        /// Valid only during the callback.
        case answered(OpaquePointer)
        case failed(BusError)
    }

    var slot: OpaquePointer?
    var onFinish: (() -> Void)?
    private var complete: ((Outcome) -> Void)?

    init(complete: @escaping (Outcome) -> Void) { self.complete = complete }

    func fail(_ error: BusError) { finish(.failed(error)) }
    func answer(_ raw: OpaquePointer) { finish(.answered(raw)) }

    private func finish(_ outcome: Outcome) {
        guard let complete else { return }
        self.complete = nil
        sd_bus_slot_unref(slot)
        slot = nil
        complete(outcome)
        onFinish?()
        onFinish = nil
    }
}

/// A handler with an address, for sd-bus.
final class HandlerBox<Handler: Sendable>: Sendable {
    let handler: Handler
    init(_ handler: Handler) { self.handler = handler }
}

typealias SignalHandler = @Sendable (borrowing BusMessage) -> Void
/// Receives a method call, valid only during the callback; returns true if it handles the call.
typealias CallHandler = @Sendable (OpaquePointer) -> Bool

// sd-bus calls these inside sd_bus_process, that is on the queue of the connection.

func handleReply(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    Unmanaged<PendingCall>.fromOpaque(context).takeUnretainedValue().answer(message)
    return 1
}

func handleSignal(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    let box = Unmanaged<HandlerBox<SignalHandler>>.fromOpaque(context).takeUnretainedValue()
    box.handler(BusMessage(retaining: message))
    return 0
}

func handleIncoming(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    var type: UInt8 = 0
    sd_bus_message_get_type(message, &type)
    guard Int(type) == Int(SD_BUS_MESSAGE_METHOD_CALL) else { return 0 }
    let box = Unmanaged<HandlerBox<CallHandler>>.fromOpaque(context).takeUnretainedValue()
    return box.handler(message) ? 1 : 0
}

extension BusMessage {
    /// The error that a reply carries, if any.
    func peerError(operation: String, subject: String) -> BusError? {
        guard let error = sd_bus_message_get_error(raw), let name = error.pointee.name else {
            return nil
        }
        return BusError(
            operation: operation, subject: subject, name: String(cString: name),
            message: error.pointee.message.map { String(cString: $0) } ?? "",
            errno: sd_bus_error_get_errno(error))
    }
}
