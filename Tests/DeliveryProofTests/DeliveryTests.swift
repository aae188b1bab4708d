import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import DeliveryProof

/// Everything that can happen between the ring and a subscriber: each ends complete, after at most
/// one replay of what the subscriber itself missed.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed))
struct DeliveryTests {
    @Test func nothingHappens() async throws {
        // Goal: the proof holds where nothing goes wrong. Method: eight ergs, a minute.
        let bench = try await DeliveryBench(.running())
        try await bench.listen()
        await bench.publisher.start()
        await bench.row(24)
        let verdict = await bench.settle(sessions: 8)
        #expect(verdict.isComplete, "\(verdict.lines.rendered(inColour: false))")
        #expect(verdict.owedCount == 8 * 27)
        await bench.stop()
    }

    @Test(arguments: [1, 24, 24 * 15])
    func brokerAway(strokes: Int) async throws {
        // Goal: what is rowed while the broker is away arrives when it is back, however much more
        // than a broker queues: a second, a minute, a quarter of an hour of eight ergs, by volume;
        // ROWGATE_DELIVERY_STROKES=11520 makes it eight hours. Method: the broker is killed and
        // comes back without memory; records are held until the listener is back too. A listener
        // that gets too little of the processor loses some to the broker's queue: one replay is due.
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
        #expect(verdict.owedCount == UInt64(8 * (strokes + 3)))
        print(
            "\(verdict.owedCount) records recorded in \(recorded - begin), "
                + "published and proven in \(ContinuousClock.now - recorded)")
        await bench.stop()
    }

    @Test func cutAtEveryByte() async throws {
        // Goal: wherever a connection breaks in the exchange over a record, the record arrives, and
        // if twice, the same both times. Method: a proxy that ends one connection after the other
        // at the next byte of a PUBLISH, then of a PUBACK, of the first stroke.
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
        #expect((strokes?.repeats ?? 0) >= 4, "an answer that is cut comes too late")
        #expect(proxy.cuts > 400, "a stroke and its answer have more bytes")
        #expect(bench.attempts.count == proxy.cuts + 1)
        print("\(proxy.cuts) cuts, \(strokes?.repeats ?? 0) strokes came again")
        await bench.stop()
    }

    @Test func deniedByTheAccessList() async throws {
        // Goal: what an access list denies is counted, named and kept; other streams go on; once it
        // is allowed all is complete. Method: one erg's strokes are denied, then the list is
        // changed and the broker started anew.
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
        #expect(await bench.recorder.snapshot().backlog >= 10, "nothing of it is trimmed")

        _ = try PrivateBroker.file("topic readwrite #\n", named: "acl", in: folder)
        await broker.stop()
        try await broker.start()
        try await bench.listen()
        let verdict = await bench.settle(sessions: 8)
        #expect(verdict.isComplete, "\(verdict.lines.rendered(inColour: false))")
        await bench.stop()
    }

    @Test func listenerAway() async throws {
        // Goal: a listener that was away knows what it lacks, and one replay brings it. Method: it
        // hears a piece, is gone for one of 1500 strokes and comes back for the marks.
        let bench = try await DeliveryBench(.running())
        let erg = [DeliveryBench.ergs[0]]
        try await bench.listen()
        await bench.publisher.start()
        await bench.row(20, on: erg)
        #expect(await bench.settle(sessions: 1).isComplete)
        await bench.leave()
        await bench.row(1_500, on: erg, piece: 2)
        #expect(await eventually { await bench.recorder.snapshot().backlog == 0 })
        #expect(bench.verdict.isComplete, "it knows of nothing")
        try await bench.listen()
        #expect(await eventually { bench.verdict.missingCount == 1_503 })
        #expect(await bench.replayMissing() == 1_503)
        let verdict = await bench.settle(sessions: 2)
        #expect(verdict.isComplete, "\(verdict.lines.rendered(inColour: false))")
        await bench.stop()
    }
}
