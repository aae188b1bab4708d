import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import MQTTClient

/// One connection to a real mosquitto, with its last will.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct MQTTConnectionTests {
    /// The events of a connection, in order.
    private final class Events: Sendable {
        private let all = Mutex<[MQTTEvent]>([])

        var list: [MQTTEvent] { all.withLock { $0 } }
        func add(_ event: MQTTEvent) { all.withLock { $0.append(event) } }

        var isConnected: Bool { list.contains { if case .connected = $0 { true } else { false } } }
        var failure: BrokerFailure?? {
            list.compactMap { event -> BrokerFailure?? in
                if case .ended(let failure) = event { failure } else { nil }
            }.first ?? nil
        }
        var hasEnded: Bool { list.contains { if case .ended = $0 { true } else { false } } }
    }

    private static let topic = "rowgate/v1/boathouse/availability"

    private func connect(
        _ broker: PrivateBroker, to events: Events, host: String = "127.0.0.1",
        willDelay: UInt32 = 1, tls: BrokerConfiguration.TLSConfiguration? = nil
    ) throws -> MQTTConnection {
        var configuration = BrokerConfiguration(
            host: host, port: broker.port, clientID: "rowgate-boathouse")
        configuration.willDelaySeconds = willDelay
        configuration.tls = tls
        let will = LastWill(
            topic: Self.topic, payload: Availability.offline.payload, delaySeconds: willDelay)
        let connection = try MQTTConnection(configuration, will: will) { events.add($0) }
        connection.start()
        return connection
    }

    private func publishOnline(_ connection: MQTTConnection) {
        _ = connection.publish(
            Availability.online.payload, to: Self.topic, qos: 1, retain: true, properties: .init())
    }

    @Test func brokerPublishesWillAfterAbandon() async throws {
        // The socket is closed without DISCONNECT, like that of a killed process.
        let broker = try await PrivateBroker.running()
        let events = Events()
        var connection: MQTTConnection? = try connect(broker, to: events)
        #expect(await eventually { events.isConnected })
        publishOnline(try #require(connection))
        let subscriber = try await MosquittoSubscriber(broker, Self.topic)
        connection?.abandon()
        #expect(await eventually { events.hasEnded })
        connection = nil  // the socket is closed with the last reference
        #expect(await eventually { subscriber.messages.last?.payload == "offline" })
        #expect(subscriber.messages.map(\.payload) == ["online", "offline"])
    }

    @Test func quickReconnectPublishesNoOffline() async throws {
        // Reconnects at once, with a long will delay, then disconnects.
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, Self.topic)
        for _ in 0..<3 {
            let events = Events()
            let connection = try connect(broker, to: events, willDelay: 600)
            #expect(await eventually { events.isConnected })
            publishOnline(connection)
            connection.abandon()
            #expect(await eventually { events.hasEnded })
        }
        let events = Events()
        let connection = try connect(broker, to: events, willDelay: 600)
        #expect(await eventually { events.isConnected })
        publishOnline(connection)
        connection.close()
        #expect(await eventually { events.hasEnded })
        #expect(events.failure == .some(nil), "our own end is no failure")
        try await broker.publish("end", to: Self.topic)
        #expect(await eventually { subscriber.messages.last?.payload == "end" })
        #expect(subscriber.messages.map(\.payload).filter { $0 == "offline" } == [])
    }

    @Test func onlyDelayedWillStoresASession() async throws {
        var packets: [String] = []
        for delay in [UInt32(0), 600] {
            packets.append(
                try await firstPacket(
                    will: LastWill(topic: "t", payload: [0x78], delaySeconds: delay)
                ) { $0.willDelaySeconds = delay })
        }
        // A clean start; Maximum Packet Size, Receive Maximum; "c", no properties of the will, "t", "x".
        let name = "00044d51545405"
        let limits = "2700011000210014"
        #expect(packets[0] == "101d\(name)2e001e08\(limits)00016300000174000178")
        // None; Session Expiry Interval, 605 s, as well; Will Delay Interval, 600 s.
        #expect(
            packets[1]
                == "1027\(name)2c001e0d110000025d\(limits)000163051800000258000174000178")
    }

    /// The bytes of a CONNECT, in hexadecimal digits.
    private func firstPacket(
        will: LastWill? = nil, configure: (inout BrokerConfiguration) -> Void
    ) async throws -> String {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/first_packet.py").path
        let server = try ChildProcess("python3", [program])
        try #require(await eventually { !server.lines.isEmpty })
        var configuration = BrokerConfiguration(
            host: "127.0.0.1", port: try #require(UInt16(server.lines[0])), clientID: "c")
        configure(&configuration)
        let connection = try MQTTConnection(configuration, will: will) { _ in }
        connection.start()
        try #require(await eventually { server.lines.count > 1 })
        connection.abandon()
        return server.lines[1]
    }

    @Test func storedSessionReceivesManyMessagesPerRoundTrip() async throws {
        let packet = try await firstPacket { $0.sessionExpirySeconds = 604_800 }
        #expect(packet == "101b00044d5154540500001e0d1100093a8027000110002100c8000163")
    }

    @Test func failuresStateCauseAndRemedy() async throws {
        let broker = try PrivateBroker()
        let refused = Events()
        _ = try connect(broker, to: refused)
        #expect(await eventually { refused.hasEnded })
        #expect(
            refused.failure??.description
                == "MQTT broker 127.0.0.1:\(broker.port): cannot connect: "
                + "Connection refused; is the broker running, and do broker.host and broker.port "
                + "name it?")

        let nowhere = Events()
        _ = try connect(broker, to: nowhere, host: "no-such-host.invalid")
        #expect(await eventually { nowhere.hasEnded })
        #expect(nowhere.failure??.remedy == "check broker.host and the network's DNS")

        #expect(throws: BrokerFailure.self) {
            try connect(broker, to: Events(), tls: .init(authorityFile: "/nonexistent/ca.pem"))
        }
    }

    @Test func killedBrokerEndsConnectionWithReason() async throws {
        let broker = try await PrivateBroker.running()
        let events = Events()
        let connection = try connect(broker, to: events)
        #expect(await eventually { events.isConnected })
        await broker.stop()
        #expect(await eventually { events.hasEnded })
        #expect(events.failure??.operation == "stay connected")
        withExtendedLifetime(connection) {}
    }

    @Test func connectsWithAThousandOpenFiles() async throws {
        // The library's own loop rejects sockets above 1023.
        let broker = try await PrivateBroker.running()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let files = (0..<1024).map { _ in open("/dev/null", O_RDONLY) }
        defer { for file in files { close(file) } }
        try #require(files.allSatisfy { $0 >= 0 })
        let events = Events()
        let connection = try connect(broker, to: events)
        #expect(await eventually { events.isConnected || events.hasEnded })
        #expect(events.isConnected, "\(events.list)")
        connection.close()
        #expect(await eventually { events.hasEnded })
    }

    @Test func oversizedMessagesDoNotBlockReception() async throws {
        // mosquitto never frees the in-flight slots of such messages. 200 of them, then a short
        // one.
        let broker = try await PrivateBroker.running()
        let events = Events()
        let connection = try connect(broker, to: events)
        #expect(await eventually { events.isConnected }, "\(events.list)")
        _ = connection.subscribe("orders", .atMostOnce)
        #expect(
            await eventually {
                events.list.contains { if case .subscribed = $0 { true } else { false } }
            })
        let folder = try TemporaryFolder()
        let whale = String(repeating: "x", count: MQTTConnection.maximumPayload + 8192) + "\n"
        try String(repeating: whale, count: 200)
            .write(toFile: folder.path("whales"), atomically: true, encoding: .utf8)
        let publisher = try ChildProcess(
            "mosquitto_pub",
            [
                "-V", "5", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", "orders",
                "-l",
            ], input: FileHandle(forReadingAtPath: folder.path("whales")))
        #expect(await publisher.waitForExit() == 0, "\(publisher.text)")
        try await broker.publish("short", to: "orders")
        let isReceived = await eventually {
            events.list.contains { event in
                if case .received(let message) = event {
                    message.payload == Array("short".utf8)
                } else {
                    false
                }
            }
        }
        #expect(isReceived)
        withExtendedLifetime(connection) {}
    }

    @Test func refusalsNameTheKeyToChange() {
        let keys: [Int32: String] = [
            0x01: "broker.protocol", 0x84: "broker.protocol", 0x02: "broker.client_id",
            0x85: "broker.client_id", 0x04: "broker.password_file", 0x86: "broker.password_file",
            0x05: "access list", 0x87: "access list", 0x8E: "broker.client_id",
        ]
        for (reason, key) in keys {
            let failure = BrokerFailure.refusal("connect", broker: "b:1883", reason: reason)
            #expect(failure.description.contains(key), "\(failure)")
        }
        let busy = BrokerFailure.refusal("connect", broker: "b:1883", reason: 0x89)
        #expect(busy.description == "MQTT broker b:1883: cannot connect: Server busy")
    }
}
