import CMicroHTTPD
import Glibc
import Synchronization

/// Source of an endless response body. The server calls it only when the client has received all
/// earlier bytes, so that nothing queues up for a slow client.
package protocol WebStream: AnyObject, Sendable {
    /// Returns the next bytes, nil to end the stream, or an empty array to be called again after the
    /// waker's `wake`. Called on the server's thread.
    func next() -> [UInt8]?

    /// The stream has ended. Called once, on the server's thread.
    func end()
}

/// Resumes the connection of a stream or a deferred answer. Usable from any thread, also after the
/// connection has closed.
package final class StreamWaker: Sendable {
    private struct State {
        /// The suspended connection. The pointer is valid, because libmicrohttpd does not end a
        /// suspended connection.
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

    /// Ends the stream because the server stops.
    func finish() {
        state.withLock { state in
            state.isOver = true
            Self.resume(&state)
        }
    }

    /// Forgets earlier wakes. Returns false if the server has ended the stream.
    fileprivate func begin() -> Bool {
        state.withLock { state in
            state.wasWoken = false
            return !state.isOver
        }
    }

    /// Suspends the connection; returns false, without effect, if there was a wake since `begin`.
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

/// Passes the bytes of one stream to libmicrohttpd. Confined to libmicrohttpd's thread.
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

    /// Returns a response that reads this stream; the caller destroys it. Returns nil when memory is
    /// short.
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

    /// Returns the number of bytes written; 0 if the connection is suspended, -1 at the end.
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
        // Frees the bytes early, since all readers share them.
        if offset == bytes.count { (bytes, offset) = ([], 0) }
        return count
    }
}
