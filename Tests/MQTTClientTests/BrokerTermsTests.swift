import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

/// What a real mosquitto says of itself, and a connection that keeps to it.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct BrokerTermsTests {
    private final class Client: Sendable {
        private let events = Mutex<[MQTTEvent]>([])

        func add(_ event: MQTTEvent) { events.withLock { $0.append(event) } }

        var terms: BrokerTerms? {
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

    /// Goal: each limit is known, and one that is not told is none. Method: a mosquitto with all that it
    /// has, and one with none.
    @Test func everyLimitIsHeard() async throws {
        let broker = try await limited(
            "max_packet_size 5000", "max_inflight_messages 7", "max_keepalive 17",
            "persistent_client_expiration 1h", "max_qos 1", "retain_available false")
        let (connection, client) = try connect(broker) { $0.keepAliveSeconds = 60 }
        #expect(await eventually { client.terms != nil })
        var expected = BrokerTerms()
        (expected.maximumPacketBytes, expected.receiveMaximum) = (5000, 7)
        (expected.keepAliveSeconds, expected.maximumQoS, expected.keepsRetained) = (17, 1, false)
        #expect(client.terms == expected)
        connection.close()
        let free = try await limited()
        let (other, unbound) = try connect(free)
        #expect(await eventually { unbound.terms != nil })
        expected = BrokerTerms()
        expected.receiveMaximum = unbound.terms?.receiveMaximum ?? 0
        #expect(unbound.terms == expected)
        other.close()
    }

    /// Goal: a message that is to be kept goes to a broker that keeps none, and one longer than the broker
    /// takes is told from one that cannot be sent at all; the connection stands. Method: such a mosquitto;
    /// three messages.
    @Test func limitsEndNoConnection() async throws {
        let broker = try await limited("max_packet_size 1000", "retain_available false")
        let subscriber = try await StrangerSubscriber(broker, "t/#", keepsRetained: false)
        let (connection, client) = try connect(broker)
        #expect(await eventually { client.terms != nil })
        let kept = connection.publish(
            [0x61], to: "t/kept", qos: 1, retain: true, properties: MessageProperties())
        let long = connection.publish(
            Array(repeating: 0x62, count: 1000), to: "t/long", qos: 1, retain: false,
            properties: MessageProperties())
        let last = connection.publish(
            [0x63], to: "t/last", qos: 1, retain: false, properties: MessageProperties())
        #expect(await eventually { client.acknowledged == [kept, last] })
        #expect(client.tooLong == [long] && client.end == nil)
        #expect(await eventually { subscriber.messages.map(\.payload) == ["a", "c"] })
        connection.close()
    }

    /// Goal: what a broker refuses a connection for is told apart: one that keeps nothing takes no will to
    /// be kept, and takes one that is not. Method: mosquitto without retained messages.
    @Test func aWillThatIsNotKept() async throws {
        let broker = try await limited("retain_available false")
        var will = LastWill(topic: "t", payload: [0x78], delaySeconds: 0)
        let (_, refused) = try connect(broker, will: will)
        #expect(await eventually { refused.end != nil })
        #expect(refused.end?.kind == .keepsNothing)
        will.isRetained = false
        let (connection, taken) = try connect(broker, will: will)
        #expect(await eventually { taken.terms != nil })
        connection.close()
    }

    /// Goal: the broker's keep-alive is kept instead of ours, so that it does not end a connection on which
    /// nothing is sent. Method: a mosquitto that wants a sign of life every 10 s, asked for one a minute;
    /// it logs those that came.
    @Test func theBrokersKeepAlive() async throws {
        let broker = try await limited("max_keepalive 10")
        let (connection, client) = try connect(broker) { $0.keepAliveSeconds = 60 }
        #expect(await eventually { client.terms?.keepAliveSeconds == 10 })
        #expect(await eventually { broker.text.contains("Received PINGREQ from terms") })
        #expect(client.end == nil)
        connection.close()
    }
}
