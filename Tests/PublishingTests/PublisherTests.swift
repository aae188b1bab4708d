import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import MQTTClient
@testable import Publishing
@testable import Rowing
@testable import Timeline

/// The publisher with a real mosquitto, observed by mosquitto_sub.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct PublisherTests {
    private let log = MemoryLog()
    private static let root = "rowgate/v1/boathouse/"

    private func publisher(
        _ broker: PrivateBroker, configure: (inout BrokerConfiguration) -> Void = { _ in }
    ) -> Publisher {
        log.publisher(port: broker.port, configure: configure)
    }

    private func identities(_ messages: [MosquittoSubscriber.Message]) -> [String] {
        messages.compactMap { message in
            guard let object = message.object, let seq = object["seq"] as? Int else { return nil }
            return "\(object["erg"] ?? "")/\(object["kind"] ?? "")/\(seq)"
        }
    }

    @Test func publishesBirthThenRecordsThenOffline() async throws {
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/#")
        log.append(50)
        let publisher = publisher(broker)
        publisher.setRetained(.state(MemoryLog.stations[0]), Array(#"{"state":"idle"}"#.utf8))
        publisher.setRetained(.health, Array(#"{"status":"ok"}"#.utf8))
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        log.append(10)
        publisher.recordsAvailable()
        #expect(await eventually { log.backlog() == 0 })
        await publisher.stop(deadline: .seconds(5))
        #expect(await eventually { subscriber.messages.last?.payload == "offline" })

        let messages = subscriber.messages
        let topics = messages.map { $0.topic.replacing(Self.root, with: "") }
        #expect(topics.first == "availability")
        #expect(messages.first?.payload == "online")
        let birth = try #require(topics.firstIndex(of: "birth"))
        let state = try #require(topics.firstIndex(of: "erg/seat-1/state"))
        let data = try #require(topics.firstIndex(of: "erg/seat-1/gap"))
        #expect(birth < state && state < data)
        #expect(messages[topics.firstIndex(of: "health") ?? 0].expirySeconds == 90)

        let records = messages.filter { $0.topic.hasSuffix("/gap") }
        #expect(records.count == 60)
        for (station, name) in MemoryLog.stations.enumerated() {
            let own = records.filter { $0.topic.contains("/\(name)/") }
            #expect(own.map { $0.object?["seq"] as? Int } == (1...30).map { $0 })
            let stored = log.records(after: nil, limit: 100).records.isEmpty
            #expect(stored, "station \(station): everything is acknowledged")
        }
        for (index, message) in records.enumerated() {
            #expect(message.qos == 1 && message.contentType == "application/json")
            let object = try #require(message.object)
            #expect(object["historical"] as? Bool == (index < 50))
            #expect(
                message.userProperties == [
                    "epoch": MemoryLog.epoch, "kind": "gap", "seq": "\(object["seq"] ?? "")",
                    "historical": index < 50 ? "true" : "false",
                ])
        }
    }

    @Test func renewsTheBirth() async throws {
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/#")
        log.append(10)
        let publisher = publisher(broker)
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        publisher.renewBirth()
        #expect(await eventually { log.births == 2 })
        log.append(10)
        publisher.recordsAvailable()
        #expect(await eventually { log.backlog() == 0 })
        #expect(await eventually { Set(identities(subscriber.messages)).count == 20 })
        let births = subscriber.messages.filter { $0.topic == Self.root + "birth" }
        #expect(births.count == 2)
        await publisher.stop(deadline: .seconds(5))
    }

    /// The broker is absent at first, and restarts twice without persistence.
    @Test func deliversEveryRecordToABrokerThatRestarts() async throws {
        let broker = try PrivateBroker()
        log.append(30)
        let publisher = publisher(broker)
        await publisher.start()
        #expect(await eventually { await publisher.statistics().lastFailure != nil })
        let failure = await publisher.statistics().lastFailure
        #expect(failure?.cause == "Connection refused")
        #expect(failure?.description.contains("127.0.0.1:\(broker.port)") == true)

        var seen: [MosquittoSubscriber.Message] = []
        for round in 0..<3 {
            // Records without a subscriber are not delivered later.
            let subscriber = try await publisher.withQueueSuspended {
                try await broker.start()
                return try await MosquittoSubscriber(broker, "rowgate/#")
            }
            log.append(70)
            publisher.recordsAvailable()
            #expect(await eventually { log.backlog() == 0 })
            #expect(log.births == round + 1)
            let expected = 100 + round * 70
            #expect(
                await eventually {
                    Set(identities(seen + subscriber.messages)).count == expected
                }, "round \(round)")
            let topics = subscriber.messages.filter { !$0.isRetained }.map(\.topic)
            if let birth = topics.firstIndex(of: Self.root + "birth"),
                let data = topics.firstIndex(where: { $0.hasSuffix("/gap") })
            {
                #expect(birth < data)
            }
            seen += subscriber.messages
            await broker.stop()
        }
        #expect(log.births == 3)
        let contents = Dictionary(grouping: seen.filter { $0.topic.hasSuffix("/gap") }) {
            $0.object?["seq"] as? Int == nil ? "" : identities([$0])[0]
        }.mapValues { Set($0.map { $0.payload.replacing(/,"historical":(true|false)/, with: "") }) }
        #expect(contents.count == 240)
        #expect(contents.values.allSatisfy { $0.count == 1 })
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func restoresOverwrittenAvailability() async throws {
        let broker = try await PrivateBroker.running()
        let publisher = publisher(broker)
        await publisher.start()
        #expect(await isServed(publisher, by: broker))
        let subscriber = try await MosquittoSubscriber(broker, Self.root + "availability")
        #expect(await eventually { subscriber.messages.map(\.payload) == ["online"] })
        try await broker.publish("offline", to: Self.root + "availability", ["-r"])
        #expect(
            await eventually {
                subscriber.messages.map(\.payload) == ["online", "offline", "online"]
            })
        let late = try await MosquittoSubscriber(broker, Self.root + "availability")
        #expect(await eventually { late.messages.first?.payload == "online" })
        await publisher.stop(deadline: .seconds(5))
    }

    /// A database that stores republished messages must get the same timestamp each time.
    @Test func retainedMessagesKeepTheirTimestamp() async throws {
        let broker = try await PrivateBroker.running()
        let publisher = publisher(broker)
        let clock = WallClock(
            bootID: "5b1f", unixMillisecondsAtBoot: 1_788_627_000_000, isSynchronized: true)
        let report = ClockReport().payload(
            gateway: MemoryLog.gateway, at: BootInstant(nanoseconds: 900_120_999_999), clock: clock)
        let state = String(decoding: report, as: UTF8.self)
        publisher.setRetained(.health, report)
        await publisher.start()
        #expect(await eventually { await publisher.statistics().isConnected })
        await broker.stop()
        try await broker.start()
        let subscriber = try await MosquittoSubscriber(broker, Self.root + "health")
        #expect(await eventually { subscriber.messages.last?.payload == state })
        #expect(subscriber.messages.last?.object?["ts_ms"] is Int)
        #expect(subscriber.messages.last?.object?["time"] is String)
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func deniedStreamBlocksNoOther() async throws {
        let folder = try TemporaryFolder()
        let denied = "topic readwrite #\ntopic deny \(Self.root)erg/seat-1/gap\n"
        let list = try PrivateBroker.file(denied, named: "acl", in: folder)
        let broker = try await PrivateBroker.running(
            options: ["allow_anonymous true", "acl_file \(list)"])
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/#")
        log.append(100)
        let publisher = publisher(broker)
        await publisher.start()
        #expect(
            await eventually {
                identities(subscriber.messages).count { $0.hasPrefix("seat-2/") } == 50
            })
        #expect(await eventually { await publisher.statistics().published == 50 })
        #expect(await publisher.statistics().rejected >= 1)
        #expect(log.backlog() == 100)
        #expect(identities(subscriber.messages).allSatisfy { !$0.hasPrefix("seat-1/") })

        let second = try await publisher.withQueueSuspended {
            await broker.stop()
            _ = try PrivateBroker.file("topic readwrite #\n", named: "acl", in: folder)
            try await broker.start()
            return try await MosquittoSubscriber(broker, "rowgate/#")
        }
        #expect(await eventually { log.backlog() == 0 })
        #expect(await eventually { identities(second.messages).count == 50 })
        #expect(identities(second.messages) == (1...50).map { "seat-1/gap/\($0)" })
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func holdsRecordsUntilASubscriberExists() async throws {
        let broker = try await PrivateBroker.running()
        log.append(40)
        let publisher = publisher(broker) { $0.holdsWhenUnsubscribed = true }
        await publisher.start()
        #expect(await eventually { await publisher.statistics().unsubscribed >= 2 })
        #expect(log.backlog() == 40)
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/#")
        #expect(await eventually { log.backlog() == 0 })
        #expect(await eventually { Set(identities(subscriber.messages)).count == 40 })
        #expect(identities(subscriber.messages).count == 40)
        await publisher.stop(deadline: .seconds(5))

        let deserted = try await PrivateBroker.running()
        let careless = self.publisher(deserted)
        log.append(10)
        await careless.start()
        #expect(await eventually { log.backlog() == 0 })
        #expect(await careless.statistics().unsubscribed == 10)
        await careless.stop(deadline: .seconds(5))
    }

    @Test func stopsInTimeWhileTheBrokerHangs() async throws {
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/#")
        let first = publisher(broker)
        await first.start()
        #expect(await eventually { await first.statistics().isConnected })
        broker.pause()
        log.append(30)
        first.recordsAvailable()
        #expect(await eventually { log.reads > 0 })
        await first.stop(deadline: .milliseconds(200))
        #expect(log.backlog() == 30)
        broker.resume()

        let second = publisher(broker)
        await second.start()
        #expect(await eventually { log.backlog() == 0 })
        #expect(await eventually { Set(identities(subscriber.messages)).count == 30 })
        await second.stop(deadline: .seconds(5))
    }

    @Test func namesTheKeyOfAWrongPassword() async throws {
        let folder = try TemporaryFolder()
        let passwords = try await PrivateBroker.passwordFile(["gw": "right"], in: folder)
        let broker = try await PrivateBroker.running(
            options: ["allow_anonymous false", "password_file \(passwords)"])
        let publisher = publisher(broker) { configuration in
            configuration.username = "gw"
            configuration.password = "wrong"
        }
        await publisher.start()
        #expect(await eventually { await publisher.statistics().lastFailure != nil })
        let failure = try #require(await publisher.statistics().lastFailure)
        #expect(failure.description.contains("broker.password_file"))
        #expect(await publisher.statistics().isConnected == false)
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func publishesLiveSamplesWithQoS0() async throws {
        let broker = try await PrivateBroker.running()
        let publisher = publisher(broker)
        let clock = WallClock(bootID: "5b1f", unixMillisecondsAtBoot: 0, isSynchronized: true)
        let sample = MetricsSample(
            at: BootInstant(nanoseconds: 0), state: .rowing, elapsed: .seconds(1), distance: .zero)
        publisher.publishLive(sample, of: MemoryLog.stations[0], clock: clock)  // dropped: not connected
        await publisher.start()
        #expect(await eventually { await publisher.statistics().isConnected })
        let subscriber = try await MosquittoSubscriber(broker, Self.root + "erg/+/live")
        for _ in 0..<3 { publisher.publishLive(sample, of: MemoryLog.stations[0], clock: clock) }
        #expect(await eventually { subscriber.messages.count == 3 })
        #expect(subscriber.messages.map { $0.object?["live_seq"] as? Int } == [1, 2, 3])
        #expect(subscriber.messages.allSatisfy { $0.qos == 0 && $0.expirySeconds == 5 })
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func receivesCommandsAndHomeAssistantStatus() async throws {
        let broker = try await PrivateBroker.running()
        let commands = Mutex<[IncomingCommand]>([])
        let publisher = publisher(broker)
        publisher.setRetained(.health, Array(#"{"status":"ok"}"#.utf8))
        let bridge = HomeAssistantBridge(publisher, discovery: .automatic, version: "1")
        await publisher.start(
            onCommand: { command in commands.withLock { $0.append(command) } },
            onHomeAssistant: bridge.handleStatus)
        #expect(await isServed(publisher, by: broker))
        let subscriber = try await MosquittoSubscriber(broker, "#")
        try await broker.publish(
            #"{"request_id":"1"}"#, to: Self.root + "erg/all/cmd/release",
            [
                "-D", "publish", "response-topic", "coach/answers", "-D", "publish",
                "correlation-data", "c-1", "-D", "publish", "message-expiry-interval", "60",
            ])
        #expect(await eventually { commands.withLock { $0.count } == 1 })
        let command = try #require(commands.withLock { $0.first })
        #expect(command.target == .everyStation && command.verb == "release")
        #expect(command.message.correlationData == Array("c-1".utf8))
        #expect(command.message.expirySeconds.map { (1...60).contains($0) } == true)
        #expect(!command.message.isRetained)
        let answer = Array(#"{"status":"ok"}"#.utf8)
        await publisher.reply(to: command, from: nil, verb: "release", answer)
        #expect(await eventually { subscriber.messages.contains { $0.topic == "coach/answers" } })

        let before = subscriber.messages.count { $0.topic == Self.root + "health" }
        try await broker.publish("online", to: "homeassistant/status")
        #expect(
            await eventually {
                subscriber.messages.count { $0.topic == Self.root + "health" } == before + 1
            })
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func neverRepliesToOwnTopics() async throws {
        let broker = try await PrivateBroker.running()
        let commands = Mutex<[IncomingCommand]>([])
        let publisher = publisher(broker)
        await publisher.start { command in commands.withLock { $0.append(command) } }
        #expect(await isServed(publisher, by: broker))
        let subscriber = try await MosquittoSubscriber(broker, Self.root + "#")
        try await broker.publish(
            "{}", to: Self.root + "cmd/ping",
            ["-r", "-D", "publish", "response-topic", Self.root + "availability"])
        #expect(await eventually { commands.withLock { $0.count } == 1 })
        let command = try #require(commands.withLock { $0.first })
        #expect(command.message.isRetained)
        await publisher.reply(to: command, from: nil, verb: "ping", [0x7B, 0x7D])
        #expect(
            await eventually { subscriber.messages.contains { $0.topic == Self.root + "rsp/ping" } }
        )
        let availability = subscriber.messages.filter { $0.topic == Self.root + "availability" }
        #expect(availability.allSatisfy { $0.payload == "online" })
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func publishesOverMQTT311() async throws {
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/#")
        log.append(20)
        let publisher = publisher(broker) { $0.protocolVersion = .v311 }
        await publisher.start()
        #expect(await eventually { identities(subscriber.messages).count == 20 })
        #expect(subscriber.messages.allSatisfy { $0.userProperties.isEmpty })
        await publisher.stop(deadline: .seconds(5))
        #expect(await eventually { subscriber.messages.last?.payload == "offline" })
    }

    @Test func reportsASecondClientWithTheSameID() async throws {
        let broker = try await PrivateBroker.running()
        let publishers = [publisher(broker), publisher(broker)]
        for publisher in publishers { await publisher.start() }
        #expect(
            await eventually {
                for publisher in publishers {
                    let remedy = await publisher.statistics().lastFailure?.remedy
                    if remedy?.contains("broker.client_id") == true { return true }
                }
                return false
            })
        for publisher in publishers { await publisher.stop(deadline: .seconds(5)) }
    }

    /// Prints the time that 5000 records take, and does not assert it.
    @Test func drainsALongBacklog() async throws {
        let broker = try await PrivateBroker.running()
        log.append(5_000)
        let publisher = publisher(broker) { $0.backlogInterval = nil }
        let begin = ContinuousClock.now
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        let statistics = await publisher.statistics()
        #expect(statistics.published + statistics.unsubscribed == 5_000)
        print("5000 records in \(ContinuousClock.now - begin), p99 \(statistics.latency!)")
        await publisher.stop(deadline: .seconds(5))
    }
}
