import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

/// The limits of a real mosquitto, and a connection that respects them.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct BrokerLimitsTests {
    private final class Client: Sendable {
        private let events = Mutex<[MQTTEvent]>([])

        func add(_ event: MQTTEvent) { events.withLock { $0.append(event) } }

        var terms: BrokerLimits? {
            events.withLock {
                $0.compactMap { if case .connected(let terms) = $0 { terms } else { nil } }.first
            }
        }

        var end: BrokerFailure? {
            events.withLock {
                $0.compactMap { if case .ended(let end) = $0 { end } else { nil } }.first
            }
        }

        var tooLong: [Int32] {
            events.withLock {
                $0.compactMap {
                    if case .rejected(let number, let failure) = $0, failure.kind == .tooLong {
                        number
                    } else {
                        nil
                    }
                }
            }
        }

        var acknowledged: [Int32] {
            events.withLock {
                $0.compactMap { if case .acknowledged(let number, _) = $0 { number } else { nil } }
            }
        }
    }

    private func connect(
        _ broker: PrivateBroker, will: LastWill? = nil,
        configure: (inout BrokerConfiguration) -> Void = { _ in }
    ) throws -> (MQTTConnection, Client) {
        var configuration = BrokerConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "terms")
        configure(&configuration)
        let client = Client()
        let connection = try MQTTConnection(configuration, will: will) { client.add($0) }
        connection.start()
        return (connection, client)
    }

    private func limited(_ options: String...) async throws -> PrivateBroker {
        try await PrivateBroker.running(options: ["allow_anonymous true"] + options)
    }

    @Test func readsEveryLimit() async throws {
        let broker = try await limited(
            "max_packet_size 5000", "max_inflight_messages 7", "max_keepalive 17",
            "persistent_client_expiration 1h", "max_qos 1", "retain_available false")
        let (connection, client) = try connect(broker) { $0.keepAliveSeconds = 60 }
        #expect(await eventually { client.terms != nil })
        var expected = BrokerLimits()
        (expected.maximumPacketBytes, expected.receiveMaximum) = (5000, 7)
        (expected.keepAliveSeconds, expected.maximumQoS, expected.supportsRetained) = (17, 1, false)
        #expect(client.terms == expected)
        connection.close()
        let free = try await limited()
        let (other, unbound) = try connect(free)
        #expect(await eventually { unbound.terms != nil })
        expected = BrokerLimits()
        expected.receiveMaximum = unbound.terms?.receiveMaximum ?? 0
        #expect(unbound.terms == expected)
        other.close()
    }

    @Test func limitsDoNotEndTheConnection() async throws {
        let broker = try await limited("max_packet_size 1000", "retain_available false")
        let subscriber = try await MosquittoSubscriber(broker, "t/#", supportsRetained: false)
        let (connection, client) = try connect(broker)
        #expect(await eventually { client.terms != nil })
        let stored = connection.publish(
            [0x61], to: "t/kept", qos: 1, retain: true, properties: MessageProperties())
        let long = connection.publish(
            Array(repeating: 0x62, count: 1000), to: "t/long", qos: 1, retain: false,
            properties: MessageProperties())
        let last = connection.publish(
            [0x63], to: "t/last", qos: 1, retain: false, properties: MessageProperties())
        #expect(await eventually { client.acknowledged == [stored, last] })
        #expect(client.tooLong == [long] && client.end == nil)
        #expect(await eventually { subscriber.messages.map(\.payload) == ["a", "c"] })
        connection.close()
    }

    @Test func rejectsRetainedWillWithoutRetainSupport() async throws {
        let broker = try await limited("retain_available false")
        var will = LastWill(topic: "t", payload: [0x78], delaySeconds: 0)
        let (_, refused) = try connect(broker, will: will)
        #expect(await eventually { refused.end != nil })
        #expect(refused.end?.kind == .noRetainedMessages)
        will.isRetained = false
        let (connection, sentCount) = try connect(broker, will: will)
        #expect(await eventually { sentCount.terms != nil })
        connection.close()
    }

    @Test func usesTheBrokersKeepAlive() async throws {
        let broker = try await limited("max_keepalive 10")
        let (connection, client) = try connect(broker) { $0.keepAliveSeconds = 60 }
        #expect(await eventually { client.terms?.keepAliveSeconds == 10 })
        #expect(await eventually { broker.text.contains("Received PINGREQ from terms") })
        #expect(client.end == nil)
        connection.close()
    }
}
