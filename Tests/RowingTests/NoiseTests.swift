import PM5Codec
import Rowing
import TestSupport
import Testing

/// Seeded loss, duplication, reordering and garbage.
@Suite struct NoiseTests {
    struct Sent {
        let milliseconds: Int
        let id: CharacteristicID
        let bytes: [UInt8]
    }

    /// A session of intervals and a single piece, as bytes.
    static let stream: [Sent] = {
        nonisolated(unsafe) var sent: [Sent] = []
        nonisolated(unsafe) var clock = 0
        // nonisolated(unsafe): filled by the closure below on this thread, then never changed.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        let recorder: (PM5Codec.Notification) -> PM5Codec.Notification? = { notification in
            let payload = notification.payload
            sent.append(
                Sent(
                    milliseconds: clock, id: type(of: payload).characteristic,
                    bytes: payload.notificationBytes(carrier: .dedicated)))
            clock += 7
            return notification
        }
        pm5.filter = recorder
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.nextInterval(after: 3)
        pm5.row(4)
        pm5.end(.terminate)
        var single = ScriptedMonitor(.fixedDistanceWithSplits, 80, harness: pm5.harness)
        single.filter = recorder
        single.arm()
        single.row(8)
        single.end()
        return sent
    }()

    /// The invariants for any input.
    static func check(_ harness: MachineHarness, _ seed: UInt64) {
        var last: [SessionID: Int] = [:]
        for stroke in harness.strokes {
            #expect(stroke.number > last[stroke.session] ?? 0, "seed \(seed)")
            last[stroke.session] = stroke.number
        }
        var missing: [SessionID: Set<Int>] = [:]
        for gap in harness.gaps {
            missing[gap.session, default: []].formUnion(gap.strokes.map(Set.init) ?? [])
        }
        for (session, count) in last {
            let published = Set(harness.strokes.filter { $0.session == session }.map(\.number))
            let lost = missing[session] ?? []
            #expect(published.isDisjoint(with: lost), "seed \(seed)")
            #expect(published.union(lost) == Set(1...count), "seed \(seed): undeclared loss")
        }
        let curves = harness.curves.map { "\($0.session) \($0.stroke)" }
        #expect(Set(curves).count == curves.count, "seed \(seed)")
        let starts = harness.edges.filter { $0.kind == .started }.map(\.session)
        #expect(Set(starts).count == starts.count, "seed \(seed)")
        var previous: StationState?
        for state in harness.states {
            #expect(state != previous, "seed \(seed): a state published twice")
            previous = state
        }
    }

    @Test(arguments: 1...60)
    func neverRepeatsStrokeInDisorder(_ seed: UInt64) {
        // Loses, duplicates and swaps values at random.
        var random = SeededGenerator(seed: seed)
        var stream = Self.stream
        let rate = Int.random(in: 2...30, using: &random)
        stream.removeAll { _ in Int.random(in: 0..<rate, using: &random) == 0 }
        stream = stream.flatMap {
            Int.random(in: 0..<rate, using: &random) == 0 ? [$0, $0] : [$0]
        }
        for index in stream.indices.dropLast(8)
        where Int.random(in: 0..<rate, using: &random) == 0 {
            stream.swapAt(index, index + Int.random(in: 1...8, using: &random))
        }
        var harness = MachineHarness()
        for sent in stream {
            harness.wait(Int.random(in: 0...60, using: &random))
            harness.send(sent.id, sent.bytes)
        }
        harness.wait(20_000)
        Self.check(harness, seed)
    }

    @Test(arguments: 1...40)
    func neverRepeatsStrokeOverUnstableLink(_ seed: UInt64) {
        // The link closes and opens at random.
        var random = SeededGenerator(seed: 1000 + seed)
        var harness = MachineHarness()
        var isUp = true
        for sent in Self.stream {
            harness.wait(Int.random(in: 0...80, using: &random))
            if Int.random(in: 0..<40, using: &random) == 0 {
                isUp ? harness.linkCloses() : harness.linkOpens()
                isUp.toggle()
            }
            if isUp { harness.send(sent.id, sent.bytes) }
        }
        harness.wait(700_000)
        Self.check(harness, seed)
    }

    @Test(arguments: 1...20)
    func neverTrapsOnGarbage(_ seed: UInt64) {
        // Random bytes and bit flips on every characteristic.
        var random = SeededGenerator(seed: 2000 + seed)
        var harness = MachineHarness()
        for sent in Self.stream {
            harness.wait(Int.random(in: 0...200, using: &random))
            var bytes = sent.bytes
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                for _ in 0..<3 {
                    let place = Int.random(in: bytes.indices, using: &random)
                    bytes[place] = .random(in: 0...255, using: &random)
                }
            case 1:
                bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    .random(in: 0...255, using: &random)
                }
            default: break
            }
            harness.send(sent.id, bytes)
            _ = harness.live
            _ = harness.machine.checkpoint(at: harness.instant)?.encode()
        }
        harness.wait(700_000)
        #expect(harness.machine.counters.received == Self.stream.count)
    }

    @Test func countsEveryTruncatedValue() {
        // Every value of a session, shortened below its shortest layout, dedicated and inside 0x0080.
        var harness = MachineHarness()
        var expected = 0
        for sent in Self.stream.prefix(60) {
            let shortest = sent.id == .additionalStatus1 || sent.id == .additionalSplitData ? 1 : 0
            for count in 0..<(sent.bytes.count - shortest) {
                harness.send(sent.id, Array(sent.bytes.prefix(count)))
                expected += 1
            }
        }
        harness.send(.multiplexed, [])
        harness.send(.multiplexed, [0x31, 1, 2])
        #expect(harness.machine.counters.truncated == expected + 2)
        #expect(harness.machine.counters.received == expected + 2)
        harness.send(.secondForceChannel, [1, 2, 3])
        harness.send(.multiplexed, [0x99, 1])
        #expect(harness.machine.counters.unknown == 2)
        harness.send(.generalStatus, [UInt8](repeating: 0, count: 25))
        #expect(harness.machine.counters.extended == 1)
    }

    @Test func declaresLostStrokesWithNumbers() {
        // All packets of strokes 4 and 5 are lost.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.filter = { notification in
            switch notification {
            case .strokeData(let packet) where (4...5).contains(packet.strokeCount): nil
            case .additionalStrokeData(let packet) where (4...5).contains(packet.strokeCount): nil
            default: notification
            }
        }
        pm5.arm()
        pm5.row(8)
        #expect(pm5.harness.strokes.map(\.number) == [1, 2, 3, 6, 7, 8])
        #expect(pm5.harness.gaps.map(\.strokes) == [4...5])
        #expect(pm5.harness.gaps.map(\.reason) == [.notificationsLost])
        #expect(pm5.harness.gaps.map(\.isRecovered) == [true])
    }

    @Test func countsAndDropsDuplicates() {
        // Every packet of strokes and splits arrives twice.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        var twice = MachineHarness()
        let once = pm5.harness
        nonisolated(unsafe) var sent: [PM5Codec.Notification] = []
        // nonisolated(unsafe): appended to by the closure below on this thread.
        pm5.filter = { notification in
            sent.append(notification)
            return notification
        }
        pm5.arm()
        pm5.row(5)
        pm5.end()
        for notification in sent {
            twice.wait(40)
            twice.send(notification)
            twice.send(notification)
        }
        twice.wait(1000)
        #expect(twice.strokes.map(\.number) == pm5.harness.strokes.map(\.number))
        #expect(twice.splits.count == 1 && twice.summaries.count == 1 && twice.gaps.isEmpty)
        #expect(twice.machine.counters.duplicates >= 15)
        #expect(once.machine.counters.duplicates == 0)
    }
}
