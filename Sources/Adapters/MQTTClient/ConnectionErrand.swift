import Glibc

/// What the process that asks wants, and what it is told, on the thread of the connection: one
/// thread for both sockets, so that a message costs one switch and not three.
final class ConnectionErrand: @unchecked Sendable {  // one thread after the other
    private let socket: FrameSocket
    private var reader = FrameReader()
    /// What happened in this turn, as frames.
    private var events: [UInt8] = []

    init(_ socket: FrameSocket) { self.socket = socket }

    /// Ready when there is something to carry out.
    var descriptor: Int32 { socket.descriptor }

    /// Waits for it; nil for what is none.
    func firstRequest() -> ConnectionRequest? {
        while true {
            if let frame = reader.next() { return ConnectionRequest(frame: frame) }
            guard reader.fill(from: socket) else { return nil }
        }
    }

    func report(_ event: MQTTEvent) {
        events += FrameSocket.packed(event.frame)
        guard case .ended = event else { return }
        tell()
        _exit(0)
    }

    /// Hands on what happened.
    func tell() {
        guard !events.isEmpty else { return }
        if !socket.write(events) { _exit(0) }
        events.removeAll(keepingCapacity: true)
    }

    /// Carries out what is there.
    func carryOut(on connection: MQTTConnection) {
        guard reader.fill(from: socket) else { _exit(0) }
        carryOutRead(on: connection)
    }

    /// What came behind the first request.
    func carryOutRead(on connection: MQTTConnection) {
        while let frame = reader.next() {
            guard let request = ConnectionRequest(frame: frame) else { _exit(0) }
            carryOut(request, on: connection)
        }
    }

    private func carryOut(_ request: ConnectionRequest, on connection: MQTTConnection) {
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
