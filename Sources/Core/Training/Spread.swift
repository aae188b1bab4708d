/// Mean and standard deviation of weighted values.
struct Spread {
    private var (weight, sum, squares) = (0.0, 0.0, 0.0)

    init() {}

    mutating func add(_ value: Double, weight: Double = 1) {
        self.weight += weight
        sum += weight * value
        squares += weight * value * value
    }

    var mean: Double { weight > 0 ? sum / weight : 0 }

    /// Sum of the squared deviations from the mean.
    var about: Double { weight > 0 ? max(0, squares - sum * sum / weight) : 0 }

    /// Standard deviation of the population, not of a sample.
    var deviation: Double { weight > 0 ? (about / weight).squareRoot() : 0 }
}
