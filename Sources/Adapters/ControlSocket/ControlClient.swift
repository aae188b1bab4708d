import Glibc

/// A connection to the control socket, for programs: every call waits for its answer.
///
/// Not for the daemon's queues, nor for Swift's cooperative threads: it blocks.
package struct ControlClient: ~Copyable {
    /// A reply that is larger is not ours.
    private static let maximumReply = 4 * 1024 * 1024

    private let descriptor: Int32
    private let path: String
    private let timeout: Duration
    private var input: MessageBuffer

    /// Connects to the daemon at `path`.
    ///
    /// - Parameter timeout: how long each reply may take; at least a millisecond.
    package init(
        connectingTo path: String, timeout: Duration = .seconds(5)
    ) throws(ControlClientError) {
        let descriptor: Int32
        do {
            descriptor = try LocalSocket.connect(to: path)
        } catch {
            throw ControlClientError(connecting: error)
        }
        // Only now: Swift 6.0 crashes on a noncopyable value that is half made when its initializer
        // throws.
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

    /// Asks once.
    package mutating func call<Method: ControlMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(ControlClientError) -> Method.Reply {
        try send(method, parameters, more: false)
        return try receive(method).reply
    }

    /// Asks for a stream of replies, and takes them until the daemon or `take` says that it ends.
    ///
    /// - Parameter take: returns false to hang up.
    package consuming func stream<Method: ControlMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters,
        _ take: (Method.Reply) -> Bool
    ) throws(ControlClientError) {
        try send(method, parameters, more: true)
        while true {
            let (reply, continues) = try receive(method)
            if !take(reply) || !continues { return }
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
                // A daemon that has no room for us says so and hangs up: read what it said.
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
