import Glibc
import HostRuntime

/// The socket of one client, and its session. Confined to the control queue.
final class ControlConnection {
    var session: ControlSession
    private let descriptor: Int32
    private let reader: ReadinessSource
    private let writer: ReadinessSource
    /// Answers the request that is being performed.
    var work: Task<Void, Never>?
    /// Wakes `work` when its last reply has been written (true) or never will be (false).
    private var drained: CheckedContinuation<Bool, Never>?

    /// Takes over `descriptor`, which is non-blocking; nil when no second one can be had.
    ///
    /// The two sources watch descriptors of their own, because one must not be closed while
    /// Dispatch still watches it for the other.
    init?(
        descriptor: Int32, session: ControlSession, on executor: SerialQueueExecutor,
        ready: @escaping @Sendable () -> Void
    ) {
        let second = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard second >= 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.session = session
        reader = ReadinessSource(
            .read, descriptor: descriptor, on: executor, closing: true, handler: ready)
        writer = ReadinessSource(
            .write, descriptor: second, on: executor, closing: true, handler: ready)
        reader.resume()
    }

    /// Reads until the session has enough or the socket is empty.
    ///
    /// To be called again whenever the session has room: Dispatch announces the end of the input
    /// together with the last bytes and never again, so it must not be left in the socket.
    func read(using buffer: inout [UInt8]) {
        while session.wantsInput {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                session.receive(buffer[..<count])
            } else if count == 0 {
                session.endInput()
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                session.fail()
            }
        }
    }

    /// Writes what can be written, then watches for whatever the session waits for.
    func write(at now: UInt64) {
        while !session.pendingOutput.isEmpty {
            let count = session.pendingOutput.withUnsafeBytes { bytes in
                send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                session.didWrite(count, at: now)
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                session.fail()
                break
            }
        }
        let isEmpty = session.pendingOutput.isEmpty
        if isEmpty { writer.suspend() } else { writer.resume() }
        if session.wantsInput { reader.resume() } else { reader.suspend() }
        if isEmpty { wake(true) }
    }

    /// Returns once everything is written; false when the connection ended first.
    func waitUntilDrained(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        if session.pendingOutput.isEmpty { return true }
        return await withCheckedContinuation { drained = $0 }
    }

    /// Hangs up. Call once.
    func end() {
        reader.cancel()
        writer.cancel()
        work?.cancel()
        wake(false)
    }

    private func wake(_ isDrained: Bool) {
        drained?.resume(returning: isDrained)
        drained = nil
    }
}
