import PM5Codec
import Rowing
import TestSupport
import Testing

/// Values of the right length that no working monitor sends.
struct PlausibilityTests {
    /// Compares a piece with random values between its strokes to the same piece without them, for each
    /// characteristic.
    @Test(arguments: [0x31, 0x32, 0x33, 0x35, 0x36, 0x37, 0x38] as [UInt16])
    func ignoresNoise(_ id: UInt16) {
        let length = [0x31: 19, 0x32: 17, 0x33: 20, 0x35: 20, 0x36: 15, 0x37: 18, 0x38: 19]
        var random = SeededGenerator(seed: UInt64(id))
        var clean = ScriptedMonitor(.fixedDistanceWithSplits, 120, .distance)
        var noisy = ScriptedMonitor(.fixedDistanceWithSplits, 120, .distance)
        clean.arm()
        noisy.arm()
        for _ in 0..<12 {
            clean.row(1)
            noisy.row(1)
            let noise = (0..<(length[Int(id)] ?? 20)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            noisy.harness.send(CharacteristicID(rawValue: id), noise)
        }
        clean.end()
        noisy.end()
        #expect(noisy.harness.strokes == clean.harness.strokes)
        #expect(noisy.harness.splits == clean.harness.splits)
        #expect(noisy.harness.summaries == clean.harness.summaries)
        #expect(noisy.harness.gaps.isEmpty)
        #expect(noisy.harness.machine.counters.implausible == 12)
    }

    /// c2forum p=367234: four strokes at a rate of 200 in a piece at 24.
    @Test func ignoresImpossibleStrokeRate() throws {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(4)
        pm5.filter = { notification in
            guard case .additionalStatus1(var packet) = notification else { return notification }
            packet.strokeRatePerMinute = 200
            return .additionalStatus1(packet)
        }
        let before = pm5.harness.machine.counters.implausibleValues
        pm5.row(4)
        #expect(pm5.harness.machine.counters.implausibleValues > before)
        #expect(pm5.harness.live?.strokeRate == nil)
        #expect(pm5.harness.live?.pace != nil)
        pm5.filter = { $0 }
        pm5.row(4)
        pm5.end()
        let rates = pm5.harness.strokes.map(\.strokeRate)
        #expect(rates.compactMap { $0 }.allSatisfy { $0 == 24 })
        #expect(rates.filter { $0 == nil }.count == 4)
    }

    /// TrackMyIndoorWorkout#579: 227 in every other status.
    @Test(arguments: [0, 1])
    func ignoresJumpingDragFactor(_ first: Int) throws {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        var count = first
        pm5.filter = { notification in
            guard case .generalStatus(var packet) = notification, packet.dragFactor > 0 else {
                return notification
            }
            count += 1
            if count % 2 == 0 { packet.dragFactor = 227 }
            return .generalStatus(packet)
        }
        pm5.arm()
        var shown: [Int] = []
        for _ in 0..<12 {
            pm5.drive()
            if let drag = pm5.harness.live?.dragFactor { shown.append(drag) }
            pm5.pass(500)
            if let drag = pm5.harness.live?.dragFactor { shown.append(drag) }
            pm5.pass(1300)
            pm5.sendStroke(recoveryMilliseconds: 1800)
        }
        pm5.filter = { notification in
            guard case .workoutSummary(var packet) = notification else { return notification }
            packet.averageDragFactor = 0
            return .workoutSummary(packet)
        }
        pm5.end()
        #expect(shown.count > 6 && shown.allSatisfy { $0 == 120 }, "\(shown)")
        #expect(pm5.harness.machine.counters.implausibleValues > 6)
        #expect(pm5.harness.summaries.last?.averageDragFactor == 120)
    }

    @Test(arguments: [(120, 180), (200, 227), (227, 227)] as [(UInt8, UInt8)])
    func acceptsChangedDragFactorWithNextStatus(_ before: UInt8, _ after: UInt8) {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        var drag = before
        pm5.filter = { notification in
            guard case .generalStatus(var packet) = notification, packet.dragFactor > 0 else {
                return notification
            }
            packet.dragFactor = drag
            return .generalStatus(packet)
        }
        pm5.arm()
        pm5.row(3)
        #expect(pm5.harness.live?.dragFactor == Int(before))
        drag = after
        pm5.pass(1000)
        #expect(pm5.harness.live?.dragFactor == Int(after))
    }
}
