import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import Publishing

/// Replays by the publisher against a real mosquitto, seen by mosquitto_sub.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct ReplayTests {
    private let log = MemoryLog()
    private static let stream = StreamID(station: MemoryLog.stations[0], kind: .gap)
    private static let topic = "rowgate/v1/boathouse/erg/seat-1/gap"

    private func sequences(_ messages: [StrangerSubscriber.Message]) -> [Int] {
        messages.compactMap { $0.object?["seq"] as? Int }
    }

    @Test func sameBytesAgain() async throws {
        // Goal: a replay is the first message again, `historical` apart, and moves nothing. Method:
        // part of what was published once, with a hole; the texts are compared.
        let broker = try await PrivateBroker.running()
        let subscriber = try await StrangerSubscriber(broker, Self.topic)
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
        let again = Array(subscriber.messages.dropFirst(20))
        #expect(sequences(again) == [11, 12, 13, 14, 17, 18, 19, 20])
        for message in again {
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
        #expect(await publisher.statistics().published == 20, "first deliveries alone")
        let late = try await StrangerSubscriber(broker, Self.topic)
        try await broker.publish("{}", to: Self.topic)
        #expect(await eventually { !late.messages.isEmpty })
        #expect(late.messages.count == 1, "nothing was retained")
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func liveRecordsGoFirst() async throws {
        // Goal: a long replay holds no new record up. Method: records appended when a quarter of
        // 1000 is replayed arrive before more than another quarter.
        let broker = try await PrivateBroker.running()
        log.append(2_000)
        let publisher = log.publisher(port: broker.port)
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        let subscriber = try await StrangerSubscriber(broker, Self.topic)
        log.onceReadOn { [log] in
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

    @Test func brokerGoesInTheMiddle() async throws {
        // Goal: a replay outlives the connection, and nothing of it is missing. Method: the broker
        // is killed in the middle of 1000 records and comes back without memory.
        let broker = try await PrivateBroker.running()
        log.append(2_000)
        let publisher = log.publisher(port: broker.port)
        await publisher.start()
        #expect(await eventually { log.backlog() == 0 })
        let before = try await StrangerSubscriber(broker, Self.topic)
        async let replay = publisher.replay(
            ReplayRequest(stream: Self.stream, sequences: 1...1_000))
        #expect(await eventually { before.messages.count > 100 })
        let after = try await publisher.resting {
            // Behind this the broker holds nothing for the subscriber, which would be gone with it.
            try await broker.publish("end", to: Self.topic)
            _ = await eventually { before.messages.last?.payload == "end" }
            await broker.stop()
            try await broker.start()
            return try await StrangerSubscriber(broker, Self.topic)
        }
        let outcome = await replay
        #expect(outcome.ending == .complete && outcome.published == 1_000)
        #expect(
            await eventually {
                Set(sequences(before.messages + after.messages)) == Set(1...1_000)
            })
        await publisher.stop(deadline: .seconds(5))
    }

    @Test func stopEndsAReplay() async throws {
        // Goal: shutdown waits for no replay, and says so to who waits for it. Method: stop while
        // the broker hangs.
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
        #expect(await eventually { await !publisher.answers.isEmpty })
        await publisher.stop(deadline: .milliseconds(100))
        #expect(await replay.ending == .stopped)
        broker.resume()
    }
}
