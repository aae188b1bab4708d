import CBluetooth
import Glibc
import HostRuntime

/// Our end of the socket through which bluetoothd sends the notifications of one characteristic to a phone:
/// one packet is one value.
///
/// Confined to the queue of its executor, hence the unchecked conformance.
final class PhoneSocket: @unchecked Sendable {
    private let descriptor: Int32
    private var source: ReadinessSource?

    /// Creates both ends; nil if no descriptor is left.
    static func pair() -> (own: LinkDescriptor, peer: LinkDescriptor)? {
        var pair: [Int32] = [-1, -1]
        let kind =
            Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return nil }
        return (LinkDescriptor(owning: pair[0]), LinkDescriptor(owning: pair[1]))
    }

    /// - Parameter ended: called on the queue when bluetoothd closes its end, because the phone unsubscribed or
    ///   is gone.
    init(
        _ own: LinkDescriptor, on executor: SerialQueueExecutor, ended: @escaping @Sendable () -> Void
    ) {
        let descriptor = own.release()
        self.descriptor = descriptor
        source = ReadinessSource(.read, descriptor: descriptor, on: executor, closing: true) {
            @Sendable in
            if Self.hasEnded(descriptor) { ended() }
        }
        source?.resume()
    }

    /// Drops what bluetoothd writes, which has no meaning.
    private static func hasEnded(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { return true }
            if count < 0, errno != EINTR { return errno != EAGAIN }
        }
    }

    /// Sends one value; false if the socket is full or its other end is closed.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard source != nil else { return false }
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        return Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags) == bytes.count
    }

    /// Closes our end. Idempotent; required before the release.
    func close() {
        source?.cancel()
        source = nil
    }
}
