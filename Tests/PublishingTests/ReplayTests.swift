import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import Publishing

/// Replays with a real mosquitto, observed by mosquitto_sub.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct ReplayTests {
    private let log = MemoryLog()
    private static let stream = StreamID(station: MemoryLog.stations[0], kind: .gap)
    private static let topic = "rowgate/v1/boathouse/erg/seat-1/gap"

    private func sequences(_ messages: [MosquittoSubscriber.Message]) -> [Int] {
        messages.compactMap { $0.object?["seq"] as? Int }
    }

    @Test func replaysTheSameBytes() async throws {
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, Self.topic)
        let publisher = log.publisher(port: broker.port)
        await publisher.start()
        #expect(await eventually { await publisher.statistics().isConnected })
        log.append(40)
        publisher.recordsAvailable()
        #expect(await eventually { sequences(subscriber.messages) == Array(1...20) })
        let first = subscriber.messages
        #expect(await eventually { log.backlog() == 0 })
        let cursor = log.acknowledged

        log.lose(15...16)
        let outcome = await publisher.replay(
            ReplayRequest(stream: Self.stream, sequences: 11...25))
        #expect(outcome.ending == .complete && outcome.published == 8)
        #expect(outcome.gone == [15...16] && outcome.lastSequence == 20)
        #expect(await eventually { subscriber.messages.count == 28 })
        let replayed = Array(subscriber.messages.dropFirst(20))
        #expect(sequences(replayed) == [11, 12, 13, 14, 17, 18, 19, 20])
        for message in replayed {
            let original = try #require(first.first { sequences([$0]) == sequences([message]) })
            #expect(original.payload.hasSuffix(#","historical":false}"#))
            #expect(
                message.payload
                    == original.payload.replacing(
                        #","historical":false}"#, with: #","historical":true}"#))
            #expect(message.qos == 1 && !message.isRetained)
            #expect(message.userProperties["historical"] == "true")
        }
        #expect(log.acknowledged == cursor)
        #expect(await publisher.statistics().published == 20, "first deliveries only")
        let late = try await MosquittoSubscriber(broker, Self.topic)
        try await broker.publish("{}", to: Self.topic)
        #expect(await eventually { !late.messages.isEmpty })
        #expect(late.messages.count == 1, "nothing was retained")
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func prefersNewRecordsToAReplay() async throws {
        let broker = try await PrivateBroker.running()
        log.append(2_000)
        let publisher = log.publisher(port: broker.port)
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        let subscriber = try await MosquittoSubscriber(broker, Self.topic)
        log.onNextFurtherRead { [log] in
            log.append(10)
            publisher.recordsAvailable()
        }
        let replay = await publisher.replay(
            ReplayRequest(stream: Self.stream, sequences: 1...1_000))
        #expect(replay.published == 1_000)
        #expect(await eventually { subscriber.messages.count == 1_005 })
        let arrived = sequences(subscriber.messages)
        #expect(arrived.filter { $0 <= 1_000 } == Array(1...1_000))
        #expect(arrived.filter { $0 > 1_000 } == Array(1_001...1_005))
        let last = try #require(arrived.lastIndex { $0 > 1_000 })
        #expect(last < 2 * Publisher.batchLimit + 50, "the newest came as message \(last) of 1005")
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func resumesAfterABrokerRestart() async throws {
        let broker = try await PrivateBroker.running()
        log.append(2_000)
        let publisher = log.publisher(port: broker.port)
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        let before = try await MosquittoSubscriber(broker, Self.topic)
        async let replay = publisher.replay(
            ReplayRequest(stream: Self.stream, sequences: 1...1_000))
        #expect(await eventually { before.messages.count > 100 })
        let after = try await publisher.withQueueSuspended {
            // The broker must not stop while it still queues messages for the subscriber.
            try await broker.publish("end", to: Self.topic)
            _ = await eventually { before.messages.last?.payload == "end" }
            await broker.stop()
            try await broker.start()
            return try await MosquittoSubscriber(broker, Self.topic)
        }
        let outcome = await replay
        #expect(outcome.ending == .complete && outcome.published == 1_000)
        #expect(
            await eventually {
                Set(sequences(before.messages + after.messages)) == Set(1...1_000)
            })
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func stopEndsARunningReplay() async throws {
        let broker = try await PrivateBroker.running()
        log.append(20)
        let publisher = log.publisher(port: broker.port)
        #expect(
            await publisher.replay(ReplayRequest(stream: Self.stream, sequences: 1...1)).ending
                == .stopped)
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        broker.pause()
        async let replay = publisher.replay(
            ReplayRequest(stream: Self.stream, sequences: 1...10))
        #expect(await eventually { await !publisher.pendingAcks.isEmpty })
        await publisher.stop(deadline: .milliseconds(100))
        #expect(await replay.ending == .stopped)
        broker.resume()
    }
}
