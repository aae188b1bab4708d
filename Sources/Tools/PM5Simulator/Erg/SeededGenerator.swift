/// Random numbers that are the same for the same seed, on every machine and Swift version.
///
/// SplitMix64 (Steele, Lea, Flood 2014). The standard library's `random(in:using:)` may change
/// between releases, so the drawing is implemented here.
package struct SeededGenerator: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Uniform over the range.
    package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        let unit = Double(next() >> 11) / Double(1 << 53)
        return range.lowerBound + unit * (range.upperBound - range.lowerBound)
    }

    /// Bell-shaped around 0, within -1 and 1.
    package mutating func noise() -> Double {
        (uniform(-1...1) + uniform(-1...1) + uniform(-1...1)) / 3
    }

    package mutating func integer(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }
}
