import Glibc

/// A blocking client of the control socket.
///
/// Every call blocks until its reply arrives. Do not use it on the daemon's queues or on Swift's
/// cooperative threads.
package struct ControlClient: ~Copyable {
    /// Largest accepted reply, in bytes.
    private static let maximumReply = 4 * 1024 * 1024

    private let descriptor: Int32
    private let path: String
    private let timeout: Duration
    private var input: MessageBuffer

    /// Connects to the daemon at `path`.
    ///
    /// - Parameter timeout: longest wait for each reply; at least 1 ms.
    package init(
        connectingTo path: String, timeout: Duration = .seconds(5)
    ) throws(ControlClientError) {
        let descriptor: Int32
        do {
            descriptor = try LocalSocket.connect(to: path)
        } catch {
            throw ControlClientError(connecting: error)
        }
        // Swift 6.0 crashes if the initializer of a noncopyable value throws after properties are set.
        self.descriptor = descriptor
        self.path = path
        self.timeout = timeout
        input = MessageBuffer(limit: Self.maximumReply)
        let (seconds, attoseconds) = timeout.components
        var limit = timeval(
            tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(descriptor) }

    /// Calls a method and returns its reply.
    package mutating func call<Method: ControlMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(ControlClientError) -> Method.Reply {
        try send(method, parameters, more: false)
        return try receive(method).reply
    }

    /// Calls a method that streams replies, and passes each to `handle` until the stream ends.
    ///
    /// - Parameter handle: returns false to close the connection.
    package consuming func stream<Method: ControlMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters,
        _ handle: (Method.Reply) -> Bool
    ) throws(ControlClientError) {
        try send(method, parameters, more: true)
        while true {
            let (reply, continues) = try receive(method)
            if !handle(reply) || !continues { return }
        }
    }

    private func send<Method: ControlMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, more: Bool
    ) throws(ControlClientError) {
        var message: [UInt8]
        do {
            message = try VarlinkMessage.request(Method.name, parameters, more: more)
        } catch {
            preconditionFailure("parameters of \(Method.name) cannot be encoded: \(error)")
        }
        message.append(0)
        var rest = message[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                // A full daemon replies with an error and closes: that reply is still to be read.
                if errno == EPIPE { return }
                throw failure("send")
            }
            rest = rest.dropFirst(count)
        }
    }

    private mutating func receive<Method: ControlMethod>(
        _ method: Method.Type
    ) throws(ControlClientError) -> (reply: Method.Reply, continues: Bool) {
        let message = try receiveMessage()
        do {
            let (reply, continues) = try VarlinkMessage.parseReply(Method.Reply.self, message)
            return (reply, continues)
        } catch let failure as ControlFailure {
            throw .errorReply(failure)
        } catch {
            throw .malformedReply("\(error)")
        }
    }

    private mutating func receiveMessage() throws(ControlClientError) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            do {
                if let message = try input.next() { return message }
            } catch {
                throw .malformedReply("it exceeds \(Self.maximumReply) bytes")
            }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 { throw .hungUp }
            if count < 0 { throw failure("recv") }
            input.append(chunk[..<count])
        }
    }

    private func failure(_ operation: String) -> ControlClientError {
        switch errno {
        case EAGAIN: .timedOut(after: timeout)
        case EINTR: .interrupted
        case ECONNRESET: .hungUp
        default: .failed(ControlSocketError(operation: operation, path: path, code: errno))
        }
    }
}
