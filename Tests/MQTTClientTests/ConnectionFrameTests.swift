import Glibc
import TestSupport
import Testing

@testable import MQTTClient

/// The encoding of frames between a connection's process and its parent.
struct ConnectionFrameTests {
    private static var configuration: BrokerConfiguration {
        var configuration = BrokerConfiguration(host: "b", port: 8883, clientID: "c")
        configuration.username = "u"
        configuration.password = "p\u{e4}ss"
        configuration.keepAliveSeconds = 7
        configuration.protocolVersion = .v311
        configuration.willDelaySeconds = 70_000
        configuration.sessionExpirySeconds = 604_800
        configuration.tls = .init(authorityFile: "/a", keyFile: "/k")
        return configuration
    }

    private static var properties: MessageProperties {
        var properties = MessageProperties(isJSON: true, expirySeconds: 5)
        properties.user = [("epoch", "1"), ("seq", "2")]
        properties.correlationData = [0, 255]
        return properties
    }

    private static let requests: [ConnectionRequest] = [
        .connect(configuration, LastWill(topic: "t", payload: [1, 2], delaySeconds: 3)),
        .connect(BrokerConfiguration(host: "::1", clientID: ""), nil),
        .publish([0x7B], topic: "a/b", qos: 1, retain: true, properties),
        .publish([], topic: "", qos: 0, retain: false, MessageProperties()),
        .subscribe("a/#", [.retainAsPublished, .retainedWhenNew]), .close,
    ]

    private static var message: IncomingMessage {
        var message = IncomingMessage(topic: "a/b", payload: [0, 1, 2], isRetained: true)
        message.responseTopic = "r"
        message.correlationData = [9]
        message.expirySeconds = 60
        return message
    }

    private static var failure: BrokerFailure {
        BrokerFailure(operation: "connect", broker: "b:1", cause: "c", remedy: "r", kind: .cutOff)
    }

    private static var terms: BrokerLimits {
        var terms = BrokerLimits()
        (terms.receiveMaximum, terms.maximumQoS, terms.supportsRetained) = (20, 1, false)
        (terms.maximumPacketBytes, terms.keepAliveSeconds) = (65_536, 60)
        terms.sessionExpirySeconds = 86_400
        terms.certificates = CertificateExpiry(broker: 253_402_300_799_000, own: -1)
        return terms
    }

    private static let events: [MQTTEvent] = [
        .connected(BrokerLimits()), .connected(terms), .acknowledged(message: .max, reason: 0x10),
        .rejected(message: 1, failure), .received(message),
        .received(IncomingMessage(topic: "t", payload: [])), .subscribed(message: 7),
        .subscriptionRefused(message: 8, reason: 0xFF), .oversized(bytes: 1 << 28),
        .ended(failure), .ended(nil),
    ]

    @Test func decodesWhatItEncoded() {
        for request in Self.requests {
            let other = ConnectionRequest(frame: request.frame)
            #expect(other.map { "\($0)" } == "\(request)")
        }
        for event in Self.events {
            #expect(MQTTEvent(frame: event.frame).map { "\($0)" } == "\(event)")
        }
    }

    @Test func rejectsDamagedFrames() {
        var generator = SeededGenerator(seed: 15)
        for frame in Self.requests.map(\.frame) + Self.events.map(\.frame) {
            for index in frame.indices {
                _ = MQTTEvent(frame: Array(frame[..<index]))
                _ = ConnectionRequest(frame: Array(frame[..<index]))
                var changed = frame
                changed[index] = UInt8.random(in: 0...255, using: &generator)
                _ = MQTTEvent(frame: changed)
                _ = ConnectionRequest(frame: changed)
            }
        }
        #expect(MQTTEvent(frame: []) == nil && ConnectionRequest(frame: []) == nil)
        #expect(MQTTEvent(frame: [99]) == nil && ConnectionRequest(frame: [0]) == nil)
    }

    @Test(.timeLimit(.minutes(30)))
    func reportsProgramsThatDoNotHoldAConnection() async {
        for (program, words) in [
            ("/nonexistent", "cannot be started: No such file"), ("/bin/false", "status 1"),
        ] {
            let (events, report) = AsyncStream.makeStream(of: MQTTEvent.self)
            let connection = ConnectionProcess(
                program: program, BrokerConfiguration(host: "127.0.0.1", clientID: "c"), will: nil
            ) { report.yield($0) }
            connection.start()
            for await event in events {
                guard case .ended(let failure) = event else { continue }
                #expect(failure?.cause.contains(words) == true, "\(String(describing: failure))")
                break
            }
        }
    }
}
