import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import DeliveryProof

/// Faults between the ring and a subscriber. Each test ends complete, after at most one replay.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct DeliveryTests {
    @Test func completeWithoutFaults() async throws {
        let bench = try await DeliveryBench(.running())
        try await bench.listen()
        await bench.publisher.start()
        await bench.row(24)
        let verdict = await bench.settle(sessions: 8)
        #expect(verdict.isComplete, "\(verdict.lines.rendered(inColour: false))")
        #expect(verdict.expectedCount == 8 * 27)
        await bench.stop()
    }

    @Test(arguments: [1, 24, 24 * 15])
    func deliversRecordsOfABrokerOutage(strokes: Int) async throws {
        // The strokes correspond to 1 s, 1 min and 15 min of eight ergs; ROWGATE_DELIVERY_STROKES=11520
        // to eight hours. The broker restarts without its state. If the listener is slow, the broker's
        // queue drops messages; then one replay is needed.
        let wanted = ProcessInfo.processInfo.environment["ROWGATE_DELIVERY_STROKES"]
        let strokes = wanted.flatMap { Int($0) }.map { max($0, strokes) } ?? strokes
        let broker = try await PrivateBroker.running()
        let bench = try await DeliveryBench(broker) { $0.holdsWhenUnsubscribed = true }
        await bench.publisher.start()
        #expect(await eventually { await bench.publisher.statistics().isConnected })
        await broker.stop()
        let begin = ContinuousClock.now
        await bench.row(strokes)
        let recorded = ContinuousClock.now
        try await broker.start()
        try await bench.listen()
        var verdict = await bench.settle(sessions: 8, within: .seconds(600))
        if !verdict.isComplete {
            #expect(broker.text.contains("messages are being dropped for client listener"))
            let missing = Int(verdict.missingCount)
            #expect(await bench.replayMissing() == missing)
            verdict = await bench.settle(sessions: 8)
        }
        #expect(verdict.isComplete, "\(verdict.lines.rendered(inColour: false))")
        #expect(verdict.expectedCount == UInt64(8 * (strokes + 3)))
        print(
            "\(verdict.expectedCount) records recorded in \(recorded - begin), "
                + "published and proven in \(ContinuousClock.now - recorded)")
        await bench.stop()
    }

    @Test func deliversRecordsWhenConnectionsBreakAtEveryByte() async throws {
        // A proxy closes each connection one byte later: first in the PUBLISH of the first stroke, then
        // in its PUBACK.
        let broker = try await PrivateBroker.running()
        let proxy = try CuttingProxy(to: broker, topicEnding: "erg-1/stroke")
        let bench = try await DeliveryBench(broker, port: proxy.port)
        try await bench.listen()
        await bench.row(3, on: [DeliveryBench.ergs[0]])
        await bench.publisher.start()
        #expect(await eventually { proxy.isDone })
        let verdict = await bench.settle(sessions: 1)
        #expect(verdict.isComplete, "\(verdict.lines.rendered(inColour: false))")
        let strokes = verdict.streams.first { $0.stream.kind == .stroke }
        #expect(strokes?.received == 3 && strokes?.altered == [])
        #expect((strokes?.repeats ?? 0) >= 4, "a cut PUBACK must cause a duplicate")
        #expect(proxy.cuts > 400, "a PUBLISH and its PUBACK have more bytes")
        #expect(bench.attempts.count == proxy.cuts + 1)
        print("\(proxy.cuts) cuts, \(strokes?.repeats ?? 0) duplicate strokes")
        await bench.stop()
    }

    @Test func keepsRecordsThatAnAccessListDeniesUntilItAllowsThem() async throws {
        let folder = try TemporaryFolder()
        let topic = "rowgate/v1/boathouse/erg/erg-2/stroke"
        let list = try PrivateBroker.file(
            "topic readwrite #\ntopic deny \(topic)\n", named: "acl", in: folder)
        let broker = try await PrivateBroker.running(
            options: ["allow_anonymous true", "acl_file \(list)"])
        let bench = try await DeliveryBench(broker) { $0.holdsWhenUnsubscribed = true }
        try await bench.listen()
        await bench.publisher.start()
        await bench.row(10)
        #expect(await eventually { bench.verdict.sessions.count == 8 })
        let denied = StreamID(station: DeliveryBench.ergs[1], kind: .stroke)
        #expect(await eventually { await bench.publisher.statistics().rejected > 0 })
        let broken = bench.verdict
        #expect(broken.lost.map(\.stream.stream) == [denied] && broken.missingCount == 10)
        #expect(await bench.recorder.snapshot().backlog >= 10, "denied records were trimmed")

        _ = try PrivateBroker.file("topic readwrite #\n", named: "acl", in: folder)
        await broker.stop()
        try await broker.start()
        try await bench.listen()
        let verdict = await bench.settle(sessions: 8)
        #expect(verdict.isComplete, "\(verdict.lines.rendered(inColour: false))")
        await bench.stop()
    }

    @Test func oneReplayCompletesAListenerThatWasAway() async throws {
        let bench = try await DeliveryBench(.running())
        let erg = [DeliveryBench.ergs[0]]
        try await bench.listen()
        await bench.publisher.start()
        await bench.row(20, on: erg)
        #expect(await bench.settle(sessions: 1).isComplete)
        await bench.stopListening()
        await bench.row(1_500, on: erg, piece: 2)
        #expect(await eventually { await bench.recorder.snapshot().backlog == 0 })
        #expect(bench.verdict.isComplete, "the listener has not received the marks yet")
        try await bench.listen()
        #expect(await eventually { bench.verdict.missingCount == 1_503 })
        #expect(await bench.replayMissing() == 1_503)
        let verdict = await bench.settle(sessions: 2)
        #expect(verdict.isComplete, "\(verdict.lines.rendered(inColour: false))")
        await bench.stop()
    }
}
