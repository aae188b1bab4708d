import CMicroHTTPD
import Glibc
import Synchronization

/// What writes one body without an end. It is asked only when the client has taken all that was
/// written before, so nothing is queued for one that does not read.
package protocol WebStream: AnyObject, Sendable {
    /// The next bytes; none to be asked again after the waker's `wake`, nil to end the stream. Called
    /// on the server's thread.
    func next() -> [UInt8]?

    /// Nobody reads any longer. Called once, on the server's thread.
    func end()
}

/// Has one stream, or an answer that takes a while, asked again; usable from any thread, also when
/// it is over.
package final class StreamWaker: Sendable {
    private struct State {
        /// libmicrohttpd's, valid while it waits: a connection that is suspended is not ended.
        nonisolated(unsafe) var suspended: OpaquePointer?  // guarded by `state`
        var wasWoken = false
        var isOver = false
    }

    private let state = Mutex(State())

    init() {}

    package func wake() {
        state.withLock { state in
            state.wasWoken = true
            Self.resume(&state)
        }
    }

    /// Ends the stream, for a server that stops.
    func finish() {
        state.withLock { state in
            state.isOver = true
            Self.resume(&state)
        }
    }

    /// Whether the stream has ended here; the next wake counts from now on.
    fileprivate func begin() -> Bool {
        state.withLock { state in
            state.wasWoken = false
            return !state.isOver
        }
    }

    /// Has the connection wait; false when there was a wake since `begin`.
    func suspend(_ connection: OpaquePointer) -> Bool {
        state.withLock { state in
            guard !state.wasWoken, !state.isOver else { return false }
            state.suspended = connection
            MHD_suspend_connection(connection)
            return true
        }
    }

    private static func resume(_ state: inout State) {
        guard let connection = state.suspended else { return }
        state.suspended = nil
        MHD_resume_connection(connection)
    }
}

/// One stream as libmicrohttpd reads it, piece by piece; of its thread alone.
final class StreamBody {
    private let connection: OpaquePointer
    private let stream: any WebStream
    private let waker: StreamWaker
    private let onEnd: () -> Void
    private var bytes: [UInt8] = []
    private var offset = 0

    init(
        on connection: OpaquePointer, waker: StreamWaker, stream: any WebStream,
        onEnd: @escaping () -> Void
    ) {
        self.connection = connection
        self.waker = waker
        self.stream = stream
        self.onEnd = onEnd
    }

    /// The response that reads from here; the caller lets go of it. nil when memory is short.
    func response() -> OpaquePointer? {
        MHD_create_response_from_callback(
            .max, 8 * 1024,
            { context, _, buffer, capacity in
                Unmanaged<StreamBody>.fromOpaque(context!).takeUnretainedValue()
                    .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
            },
            Unmanaged.passRetained(self).toOpaque(),
            { context in
                let body = Unmanaged<StreamBody>.fromOpaque(context!).takeRetainedValue()
                body.stream.end()
                body.onEnd()
            })
    }

    /// How many bytes it has put there; 0 when the connection waits, -1 at the end.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while offset == bytes.count {
            guard waker.begin(), let next = stream.next() else { return -1 }
            (bytes, offset) = (next, 0)
            if bytes.isEmpty, waker.suspend(connection) { return 0 }
        }
        let count = min(buffer.count, bytes.count - offset)
        bytes.withUnsafeBytes { bytes in
            buffer.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
        offset += count
        // What all readers share is not held longer than needed.
        if offset == bytes.count { (bytes, offset) = ([], 0) }
        return count
    }
}
