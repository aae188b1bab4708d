import Glibc
import HostRuntime

/// Socket and session of one client. Confined to the control queue.
final class ControlConnection {
    var session: ControlSession
    private let descriptor: Int32
    private let reader: ReadinessSource
    private let writer: ReadinessSource
    /// Answers the current request.
    var work: Task<Void, Never>?
    /// Resumes `work` when its last reply is written (true) or the connection ended (false).
    private var drained: CheckedContinuation<Bool, Never>?

    /// Takes ownership of `descriptor`, which is non-blocking. Returns nil if it cannot be duplicated.
    ///
    /// Each of the two sources watches its own descriptor, because a descriptor must not be closed
    /// while Dispatch still watches it for the other source.
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

    /// Reads until the session's buffer is full or the socket is empty.
    ///
    /// Call this whenever the buffer has space again: Dispatch announces the end of the input only
    /// once, together with the last bytes.
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

    /// Writes as much as the socket accepts, then enables the read and write sources that are needed.
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

    /// Returns when everything is written; false if the connection ended first.
    func waitUntilDrained(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        if session.pendingOutput.isEmpty { return true }
        return await withCheckedContinuation { drained = $0 }
    }

    /// Closes the connection. Call once.
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
