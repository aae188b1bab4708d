import Foundation

/// A TCP proxy ahead of a broker that cuts one connection after the other at the next byte of an
/// exchange: the first PUBLISH (QoS 1) to a topic, and the PUBACK for it.
///
/// It forwards whole packets (MQTT 5, 2.1: type, length, rest). Of the cut packet it forwards only
/// some bytes, and closes both sides. After the last byte of the answer it forwards everything.
package final class CuttingProxy: @unchecked Sendable {  // what varies is guarded by `lock`
    /// Where a connection ends.
    fileprivate enum Cut {
        case publish(bytes: Int)
        case acknowledgement(bytes: Int)
    }

    package let port: UInt16
    private let broker: UInt16
    private let topicEnding: String
    private let listener: Int32
    private let lock = NSLock()
    private var cut: Cut? = .publish(bytes: 0)
    private var cutsMade = 0
    private var links: [Link] = []

    /// - Parameter topicEnding: how the topic ends whose messages are cut.
    package init(to broker: PrivateBroker, topicEnding: String) throws {
        self.broker = broker.port
        self.topicEnding = topicEnding
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isUp = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isUp else { throw TestSupportError("no port for the proxy") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in Self.accept(on: listener) { self?.serve($0) } }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for link in links { link.shutDown() }
    }

    /// Connections cut so far.
    package var cuts: Int { lock.withLock { cutsMade } }

    /// Whether every byte has had its turn.
    package var isDone: Bool { lock.withLock { cut == nil } }

    /// A connection was cut in a packet of `length` bytes: the next one is cut a byte later.
    private func wasCut(_ made: Cut, inPacketOf length: Int) {
        lock.withLock {
            cutsMade += 1
            cut =
                switch made {
                case .publish(let bytes) where bytes < length: .publish(bytes: bytes + 1)
                case .publish: .acknowledgement(bytes: 0)
                case .acknowledgement(let bytes) where bytes < length:
                    .acknowledgement(bytes: bytes + 1)
                case .acknowledgement: nil
                }
        }
    }

    private static func accept(on listener: Int32, _ serve: @escaping (Int32) -> Void) {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            if client < 0 { return }
            serve(client)
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: broker)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected else {
            close(client)
            close(server)
            return
        }
        let cut = lock.withLock { self.cut }
        let link = Link(client: client, server: server, cut: cut, topicEnding: topicEnding)
        lock.withLock { links.append(link) }
        for forward in [link.forwardUp, link.forwardDown] {
            Thread.detachNewThread { [weak self] in
                if let length = forward(), let cut { self?.wasCut(cut, inPacketOf: length) }
                link.end()
            }
        }
    }
}

/// One connection through the proxy, a thread for each direction.
private final class Link: @unchecked Sendable {  // `awaited`, `ended`, sockets: guarded by `lock`
    private let client: Int32
    private let server: Int32
    private let cut: CuttingProxy.Cut?
    private let topicEnding: String
    private let lock = NSLock()
    /// The packet identifier of the PUBLISH whose answer is to be cut.
    private var awaited: [UInt8]?
    private var ended = 0

    init(client: Int32, server: Int32, cut: CuttingProxy.Cut?, topicEnding: String) {
        self.client = client
        self.server = server
        self.cut = cut
        self.topicEnding = topicEnding
    }

    /// From the client to the broker; the length of the packet that was cut, if one was.
    @Sendable func forwardUp() -> Int? {
        while let packet = read(from: client) {
            if let cut, let identifier = packet.published(toTopicEnding: topicEnding) {
                switch cut {
                case .publish(let bytes):
                    write(packet.bytes.prefix(bytes), to: server)
                    return packet.bytes.count
                case .acknowledgement:
                    lock.withLock { if awaited == nil { awaited = identifier } }
                }
            }
            write(packet.bytes[...], to: server)
        }
        return nil
    }

    /// From the broker to the client; the length of the packet that was cut, if one was.
    @Sendable func forwardDown() -> Int? {
        while let packet = read(from: server) {
            if case .acknowledgement(let bytes)? = cut,
                let awaited = lock.withLock({ awaited }), packet.acknowledges(awaited)
            {
                write(packet.bytes.prefix(bytes), to: client)
                return packet.bytes.count
            }
            write(packet.bytes[...], to: client)
        }
        return nil
    }

    /// Ends both directions; the second caller closes.
    func end() {
        shutDown()
        lock.withLock {
            ended += 1
            guard ended == 2 else { return }
            close(client)
            close(server)
        }
    }

    /// Ends both directions, unless they have ended: the number of a closed descriptor may belong to
    /// another socket by now.
    func shutDown() {
        lock.withLock {
            guard ended < 2 else { return }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private func read(from socket: Int32) -> Packet? {
        var bytes: [UInt8] = []
        var length = 0
        var shift = 0
        guard let type = receive(1, from: socket) else { return nil }
        bytes += type
        repeat {
            guard let next = receive(1, from: socket) else { return nil }
            bytes += next
            length |= Int(next[0] & 0x7F) << shift
            shift += 7
        } while bytes[bytes.count - 1] & 0x80 != 0
        let start = bytes.count
        guard let rest = receive(length, from: socket) else { return nil }
        return Packet(bytes: bytes + rest, start: start)
    }

    private func receive(_ count: Int, from socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var receivedCount = 0
        while receivedCount < count {
            let got = bytes.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress! + receivedCount, count - receivedCount, 0)
            }
            guard got > 0 else { return nil }
            receivedCount += got
        }
        return bytes
    }

    private func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }
}

/// One MQTT control packet.
private struct Packet {
    let bytes: [UInt8]
    /// Behind the fixed header.
    let start: Int

    /// The packet identifier, of a QoS 1 PUBLISH to such a topic (3.3.2).
    func published(toTopicEnding ending: String) -> [UInt8]? {
        guard bytes[0] >> 4 == 3, bytes[0] & 0x06 != 0 else { return nil }
        let length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
        let topic = bytes[(start + 2)..<(start + 2 + length)]
        guard String(decoding: topic, as: UTF8.self).hasSuffix(ending) else { return nil }
        return Array(bytes[(start + 2 + length)..<(start + 4 + length)])
    }

    /// Whether it is the PUBACK for a packet identifier (3.4.2).
    func acknowledges(_ identifier: [UInt8]) -> Bool {
        bytes[0] >> 4 == 4 && Array(bytes[start..<(start + 2)]) == identifier
    }
}
