/// Mean and standard deviation of whole numbers, from exact sums: the same on every machine, and in
/// whatever order they came.
package struct Spread: Equatable, Sendable {
    package private(set) var count = 0
    private var sum = 0
    private var squares = 0

    package init() {}

    /// - Parameter value: less than a million, of which a billion can be added up.
    mutating func add(_ value: Int) {
        count += 1
        sum += value
        squares += value * value
    }

    /// Takes in all that `other` took in.
    mutating func add(_ other: Spread) {
        count += other.count
        sum += other.sum
        squares += other.squares
    }

    /// In `parts` of the unit, which is `unit` of the numbers, rounded; nil of nothing.
    package func mean(scaled parts: Int, by unit: Int = 1) -> Int? {
        guard count > 0 else { return nil }
        return rounded(Double(sum * parts) / Double(count * unit))
    }

    /// The standard deviation of a sample (divided by one less than there are), likewise; nil of fewer
    /// than two.
    package func deviation(scaled parts: Int, by unit: Int = 1) -> Int? {
        guard count > 1 else { return nil }
        let variance = Double(count * squares - sum * sum) / Double(count * (count - 1))
        return rounded(variance.squareRoot() * Double(parts) / Double(unit))
    }

    private func rounded(_ value: Double) -> Int { Int(value.rounded()) }
}
