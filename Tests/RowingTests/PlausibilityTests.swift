import PM5Codec
import Rowing
import TestSupport
import Testing

/// Values of the right length that no monitor in working order sends.
struct PlausibilityTests {
    /// Goal: noise in the shape of status and strokes changes nothing of a session.
    /// Method: a piece with random values between its strokes, against the same piece without; the
    /// seed is fixed, and each characteristic takes part.
    @Test(arguments: [0x31, 0x32, 0x33, 0x35, 0x36, 0x37, 0x38] as [UInt16])
    func noiseChangesNothing(_ id: UInt16) {
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
            noisy.fold.send(CharacteristicID(rawValue: id), noise)
        }
        clean.end()
        noisy.end()
        #expect(noisy.fold.strokes == clean.fold.strokes)
        #expect(noisy.fold.splits == clean.fold.splits)
        #expect(noisy.fold.summaries == clean.fold.summaries)
        #expect(noisy.fold.gaps.isEmpty)
        #expect(noisy.fold.machine.counters.implausible == 12)
    }
}
