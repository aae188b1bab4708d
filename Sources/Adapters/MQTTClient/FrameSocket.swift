import Glibc

/// One end of a stream socket between two processes, for frames: four bytes of length, then the
/// content.
struct FrameSocket: Sendable {
    /// Far above the size of any message; a longer frame is invalid.
    static let maximumFrame = 16 << 20
    /// Seconds after which a peer that accepts nothing counts as hung.
    private static let sendTimeoutSeconds = 5

    let descriptor: Int32

    /// Makes `write` fail if the peer accepts nothing.
    func limitSendTime() {
        var limit = timeval(tv_sec: Self.sendTimeoutSeconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Returns a frame with its length.
    static func packed(_ frame: [UInt8]) -> [UInt8] {
        let count = UInt32(frame.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + frame
    }

    /// Sends what fits at once; returns the number of bytes, or nil if the other end is gone, after
    /// which the socket is useless.
    func offer(_ bytes: ArraySlice<UInt8>, waiting: Bool = false) -> Int? {
        while true {
            let flags = Int32(MSG_NOSIGNAL) | (waiting ? 0 : Int32(MSG_DONTWAIT))
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return !waiting && errno == EAGAIN ? 0 : nil
        }
    }

    /// Waits until all is sent; false if the other end is gone or hangs.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let count = offer(rest, waiting: true) else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Received bytes of a `FrameSocket`: several frames at once, or a part of one.
struct FrameReader {
    private static let portion = 64 << 10

    private var bytes: [UInt8] = []
    /// The end of the last returned frame.
    private var start = 0

    /// Waits for more bytes, unless there are some; false at the end, and for invalid data.
    mutating func receive(from socket: FrameSocket) -> Bool {
        if let count, count > FrameSocket.maximumFrame { return false }
        bytes.removeFirst(start)
        start = 0
        return withUnsafeTemporaryAllocation(byteCount: Self.portion, alignment: 1) { buffer in
            var count = -1
            repeat {
                // A thread waiting in recv would also wake when the other side has read something.
                var ready = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
                poll(&ready, 1, -1)
                count = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0)
            } while count < 0 && errno == EINTR
            bytes += buffer.prefix(max(0, count))
            return count > 0
        }
    }

    /// Returns the next frame, if it is complete.
    mutating func next() -> [UInt8]? {
        guard let count, bytes.count - start - 4 >= count else { return nil }
        let body = start + 4
        start = body + count
        return Array(bytes[body..<start])
    }

    /// Length of the next frame.
    private var count: Int? {
        guard bytes.count - start >= 4 else { return nil }
        return bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The requests of the process that started this one, and the events for it, on the thread of the
/// connection: one thread for both sockets, so that a message costs one switch instead of three.
final class ParentChannel: @unchecked Sendable {  // one thread after the other
    private let socket: FrameSocket
    private var reader = FrameReader()
    /// The events of this turn, as frames.
    private var events: [UInt8] = []

    init(_ socket: FrameSocket) { self.socket = socket }

    /// Readable if there is a request.
    var descriptor: Int32 { socket.descriptor }

    /// Waits for the first request; nil if it is invalid.
    func firstRequest() -> ConnectionRequest? {
        while true {
            if let frame = reader.next() { return ConnectionRequest(frame: frame) }
            guard reader.receive(from: socket) else { return nil }
        }
    }

    func report(_ event: MQTTEvent) {
        events += FrameSocket.packed(event.frame)
        guard case .ended = event else { return }
        sendEvents()
        _exit(0)
    }

    /// Sends the events.
    func sendEvents() {
        guard !events.isEmpty else { return }
        if !socket.write(events) { _exit(0) }
        events.removeAll(keepingCapacity: true)
    }

    /// Carries out the available requests.
    func executeRequests(on connection: MQTTConnection) {
        guard reader.receive(from: socket) else { _exit(0) }
        executeBufferedRequests(on: connection)
    }

    /// Carries out requests that were read together with the first one.
    func executeBufferedRequests(on connection: MQTTConnection) {
        while let frame = reader.next() {
            guard let request = ConnectionRequest(frame: frame) else { _exit(0) }
            executeRequests(request, on: connection)
        }
    }

    private func executeRequests(_ request: ConnectionRequest, on connection: MQTTConnection) {
        switch request {
        case .connect: break
        case .publish(let payload, let topic, let qos, let retain, let properties):
            _ = connection.publish(
                payload, to: topic, qos: qos, retain: retain, properties: properties)
        case .subscribe(let filter, let options): _ = connection.subscribe(filter, options)
        case .close: connection.close()
        }
    }
}
