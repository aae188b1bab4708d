import TestSupport
import Testing

@testable import DeliveryProof

@Suite struct SequenceSetTests {
    @Test func behavesLikeASetOfNumbers() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var ranges = SequenceSet()
            var plain: Set<UInt64> = []
            for _ in 0..<60 {
                let first = UInt64.random(in: 1...200, using: &generator)
                let last = first + UInt64.random(in: 0...6, using: &generator)
                ranges.insert(first...last)
                plain.formUnion(first...last)
                let gap = ranges.missing(from: 1...210).flatMap { Array($0) }
                #expect(gap == (1...210).filter { !plain.contains($0) }, "seed \(seed)")
                #expect(ranges.count == UInt64(plain.count), "seed \(seed)")
                #expect(ranges.contains(first + 3) == plain.contains(first + 3))
            }
            #expect(ranges.first == plain.min() && ranges.last == plain.max())
            let touching = zip(ranges.ranges, ranges.ranges.dropFirst())
                .contains { $0.upperBound + 1 >= $1.lowerBound }
            #expect(!touching, "seed \(seed)")
        }
    }

    @Test func handlesZeroAndMaximumWithoutOverflow() {
        var set = SequenceSet()
        #expect(set.missing(from: 3...9) == [3...9])
        set.insert(0)
        set.insert(.max)
        #expect(set.ranges == [0...0, .max ... .max])
        #expect(set.missing(from: 0 ... .max) == [1 ... .max - 1])
        #expect(set.missing(from: .max ... .max).isEmpty)
    }
}
