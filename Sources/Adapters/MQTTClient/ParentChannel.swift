import Glibc

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
