import TestSupport
import Testing

@testable import Contract
@testable import MQTTClient
@testable import Publishing

/// A club's mosquitto that is bridged to a central one, configured as in Brokers.md.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct BridgedBrokerTests {
    private let log = MemoryLog()

    /// The club's broker, with a bridge to the centre. `queue` is the bridge's capacity in messages.
    private func club(of centre: PrivateBroker, queue: Int) throws -> PrivateBroker {
        try PrivateBroker(options: [
            "allow_anonymous true", "max_queued_messages \(queue)", "connection centre",
            "address 127.0.0.1:\(centre.port)", "bridge_protocol_version mqttv50",
            "cleansession false", "restart_timeout 1", "try_private true",
            "topic rowgate/v1/boathouse/# out 1", "topic rowgate/v1/boathouse/cmd/# in 1",
        ])
    }

    /// How often the centre has accepted the bridge's connection.
    private func links(of club: PrivateBroker) -> Int {
        club.text.split(separator: "\n").count { $0.contains("Received CONNACK on connection") }
    }

    private func numbers(_ subscriber: MosquittoSubscriber) -> Set<Int> {
        let own = subscriber.messages.filter { $0.topic.hasSuffix("seat-1/gap") }
        return Set(own.compactMap { $0.object?["seq"] as? Int })
    }

    /// Appends 200 records while the centre is down. The bridge's queue holds 50, so the centre requests
    /// the rest by a replay.
    @Test func centreReceivesEveryRecord() async throws {
        let centre = try PrivateBroker()
        let club = try club(of: centre, queue: 50)
        try await centre.start()
        try await club.start()
        var subscriber = try await MosquittoSubscriber(centre, "rowgate/#")
        #expect(await eventually { links(of: club) == 1 })
        let publisher = log.publisher(port: club.port)
        await publisher.start(onCommand: { command in
            guard command.verb == "replay" else { return }
            Task {
                _ = await publisher.replay(
                    ReplayRequest(
                        stream: StreamID(station: MemoryLog.stations[0], kind: .gap),
                        sequences: 1...120))
            }
        })
        log.append(40)
        publisher.recordsAvailable()
        let early = subscriber
        #expect(await eventually { numbers(early) == Set(1...20) })
        let properties = early.messages.first { $0.topic.hasSuffix("seat-1/gap") }?.userProperties
        #expect(properties?["epoch"] == MemoryLog.epoch && properties?["kind"] == "gap")

        await subscriber.stop()
        await centre.stop()
        log.append(200)
        publisher.recordsAvailable()
        #expect(await eventually { log.backlog() == 0 }, "the club's broker accepts all records")
        subscriber = try await publisher.withQueueSuspended {
            // The bridge sends its queue as soon as the centre is up.
            try await centre.start()
            return try await MosquittoSubscriber(centre, "rowgate/#")
        }
        let late = subscriber
        // A full queue accepts no more messages before.
        #expect(await eventually { links(of: club) == 2 && !numbers(late).isEmpty })
        log.append(2)
        publisher.recordsAvailable()
        #expect(await eventually { numbers(late).contains(121) }, "new records arrive")
        #expect(!numbers(late).isSuperset(of: 21...120), "the queue dropped messages")
        try await centre.publish("{}", to: "rowgate/v1/boathouse/cmd/replay")
        #expect(await eventually { numbers(late).isSuperset(of: 1...121) })
        await publisher.stop(deadline: .seconds(5))
    }
}
