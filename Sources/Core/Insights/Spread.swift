/// Mean and standard deviation of whole numbers. Exact sums make the result independent of machine and
/// order.
package struct Spread: Equatable, Sendable {
    package private(set) var count = 0
    private var sum = 0
    private var squares = 0

    package init() {}

    /// - Parameter value: below a million; a billion of them can be added.
    mutating func add(_ value: Int) {
        count += 1
        sum += value
        squares += value * value
    }

    /// Adds the values of `other`.
    mutating func add(_ other: Spread) {
        count += other.count
        sum += other.sum
        squares += other.squares
    }

    /// The mean in `1 / parts` of a unit that consists of `unit` numbers, rounded; nil without values.
    package func mean(scaled parts: Int, by unit: Int = 1) -> Int? {
        guard count > 0 else { return nil }
        return rounded(Double(sum * parts) / Double(count * unit))
    }

    /// The sample standard deviation (divided by the count minus one), scaled like the mean; nil for fewer
    /// than two values.
    package func deviation(scaled parts: Int, by unit: Int = 1) -> Int? {
        guard count > 1 else { return nil }
        let variance = Double(count * squares - sum * sum) / Double(count * (count - 1))
        return rounded(variance.squareRoot() * Double(parts) / Double(unit))
    }

    private func rounded(_ value: Double) -> Int { Int(value.rounded()) }
}
