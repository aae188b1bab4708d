import Glibc
import HostRuntime

/// Our end of the socket pair for AcquireNotify and AcquireWrite: one packet, one value.
///
/// Confined to the queue of its executor, hence the unchecked conformance.
final class PacketSocket: @unchecked Sendable {
    /// The client's end, until it has been passed on.
    private(set) var clientDescriptor: Int32
    private let descriptor: Int32
    private var source: ReadinessSource?

    /// - Parameters:
    ///   - received: called with a packet that the client wrote.
    ///   - ended: called once, when the client has closed its end.
    init?(
        on executor: SerialQueueExecutor, received: @escaping @Sendable ([UInt8]) -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        var pair: [Int32] = [-1, -1]
        let kind =
            Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return nil }
        (descriptor, clientDescriptor) = (pair[0], pair[1])
        let descriptor = descriptor
        source = ReadinessSource(.read, descriptor: descriptor, on: executor, closing: true) {
            @Sendable in
            Self.drain(descriptor, received, ended)
        }
        source?.resume()
    }

    deinit { close() }

    private static func drain(
        _ descriptor: Int32, _ received: ([UInt8]) -> Void, _ ended: () -> Void
    ) {
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                received(Array(buffer[..<count]))
            } else if count < 0 && errno == EINTR {
                continue
            } else if count < 0 && errno == EAGAIN {
                return
            } else {
                return ended()
            }
        }
    }

    /// Sends one value; false if the client's buffer is full or its end is closed.
    func send(_ bytes: [UInt8]) -> Bool {
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        return Glibc.send(descriptor, bytes, bytes.count, flags) == bytes.count
    }

    /// Closes our copy of the client's end, which the bus has duplicated.
    func closeClientDescriptor() {
        guard clientDescriptor >= 0 else { return }
        Glibc.close(clientDescriptor)
        clientDescriptor = -1
    }

    /// Closes our end. Idempotent.
    func close() {
        closeClientDescriptor()
        source?.cancel()
        source = nil
    }
}
