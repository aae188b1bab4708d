import Glibc

/// The other side of `ConnectionProcess`: holds one connection for the process that started it.
package enum ConnectionHolder {
    /// Memory that it may have, in bytes: libmosquitto takes up to 256 MB if a broker announces as
    /// much, and the service would be throttled or ended for it.
    static let memoryLimit: rlim_t = 48 << 20

    /// Holds a connection and never returns, if the program was started for that.
    package static func holdIfAsked() {
        guard CommandLine.arguments.dropFirst() == [ConnectionProcess.argument] else { return }
        confine()
        let socket = FrameSocket(descriptor: STDIN_FILENO)
        guard case .connect(let configuration, let will) = request(from: socket) else { _exit(64) }
        // `report` may be called on the connection's thread and on this one.
        let connection: MQTTConnection
        do throws(BrokerFailure) {
            connection = try MQTTConnection(configuration, will: will) { event in
                let isHeard = socket.write(event.frame)
                if case .ended = event { _exit(0) }
                if !isHeard { _exit(0) }
            }
        } catch {
            _ = socket.write(MQTTEvent.ended(error).frame)
            _exit(0)
        }
        connection.start()
        while let request = request(from: socket) { carryOut(request, on: connection) }
        // Nobody is left to hold it for; the broker publishes the will.
        _exit(0)
    }

    private static func request(from socket: FrameSocket) -> ConnectionRequest? {
        socket.read().flatMap(ConnectionRequest.init)
    }

    private static func carryOut(_ request: ConnectionRequest, on connection: MQTTConnection) {
        switch request {
        case .connect: break
        case .publish(let payload, let topic, let qos, let retain, let properties):
            _ = connection.publish(
                payload, to: topic, qos: qos, retain: retain, properties: properties)
        case .subscribe(let filter, let options): _ = connection.subscribe(filter, options)
        case .close: connection.close()
        }
    }

    /// It ends with its socket and not by signals meant for the service, in silence, and leaves
    /// nothing of its memory on the disk.
    private static func confine() {
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        for signal in SpawnedProcess.End.signalsOfItsOwnDoing {
            Glibc.signal(signal) { _exit(SpawnedProcess.End.ofSignal + $0) }
        }
        var limit = rlimit(rlim_cur: memoryLimit, rlim_max: memoryLimit)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }
}
