import TestSupport
import Testing

@testable import Contract
@testable import MQTTClient
@testable import Publishing
@testable import Timeline

/// The publisher with restricted brokers and with several brokers (real mosquitto).
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct LimitedBrokerTests {
    private let log = MemoryLog()

    private func limited(_ options: String...) async throws -> PrivateBroker {
        try await PrivateBroker.running(options: ["allow_anonymous true"] + options)
    }

    /// A second client with the same id ends the connection, so that the broker publishes the will.
    @Test func publishesToABrokerWithoutRetainedMessages() async throws {
        let broker = try await limited("retain_available false")
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/#", supportsRetained: false)
        log.append(20)
        let publisher = log.publisher(port: broker.port) { $0.willDelaySeconds = 0 }
        publisher.setRetained(.state(MemoryLog.stations[0]), Array(#"{"state":"idle"}"#.utf8))
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        #expect(await eventually { subscriber.messages.count { $0.topic.hasSuffix("/gap") } == 20 })
        #expect(subscriber.messages.contains { $0.topic.hasSuffix("/state") })
        #expect(!subscriber.messages.contains { $0.isRetained })
        // A client with the same id takes over the connection and then disconnects.
        _ = try await ChildProcess(
            "mosquitto_sub",
            ["-V", "5", "-p", "\(broker.port)", "-i", "rowgate-boathouse", "-t", "x", "-E"]
        ).waitForExit()
        #expect(await eventually { subscriber.messages.contains { $0.payload == "offline" } })
        await publisher.stop(deadline: .seconds(5))
    }

    /// Every tenth of 40 records exceeds the broker's maximum packet size.
    @Test func skipsRecordsThatAreTooLong() async throws {
        log.append(40)
        log.lengthen(every: 10, by: 2000)
        let broker = try await limited("max_packet_size 1500")
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/#")
        let publisher = log.publisher(port: broker.port)
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        let tooLong = log.tooLong
        let count = await publisher.statistics().tooLong
        #expect(tooLong.count == 4 && count == 4)
        #expect(
            await eventually {
                subscriber.messages.count { $0.topic.hasSuffix("/gap") } == 40 - tooLong.count
            })
        let lost = try #require(tooLong.first)
        let outcome = await publisher.replay(
            ReplayRequest(stream: lost.stream, sequences: 1...20))
        #expect(outcome.ending == .complete)
        let gone = Set(outcome.gone.flatMap { Array($0) })
        #expect(gone == Set(tooLong.filter { $0.stream == lost.stream }.map(\.sequence)))
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func failsOverToTheNextBroker() async throws {
        let (first, second) = (try PrivateBroker(), try PrivateBroker())
        let publisher = log.publisher(port: first.port) {
            $0.alternatives = [BrokerAddress(host: "127.0.0.1", port: second.port)]
        }
        log.append(10)
        await publisher.start()
        for (round, broker) in [second, first, second].enumerated() {
            let subscriber = try await publisher.withQueueSuspended {
                try await broker.start()
                return try await MosquittoSubscriber(broker, "rowgate/#")
            }
            #expect(await eventually { log.backlog() == 0 }, "round \(round)")
            #expect(await publisher.statistics().server.port == broker.port)
            #expect(
                await eventually { subscriber.messages.contains { $0.topic.hasSuffix("/gap") } })
            await subscriber.stop()
            await broker.stop()
            log.append(10)
            publisher.recordsAvailable()
        }
        await publisher.stop(deadline: .seconds(5))
    }
}
