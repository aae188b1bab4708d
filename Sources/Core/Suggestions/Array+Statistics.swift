extension [Double] {
    /// The median; the lower of the two middle values if their number is even. 0 if empty.
    var median: Double { isEmpty ? 0 : sorted()[(count - 1) / 2] }

    var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

    /// Population standard deviation of the numbers divided by their mean, in percent; 0 unless the mean is
    /// positive.
    var coefficientOfVariationPercent: Double {
        let mean = mean
        guard mean > 0 else { return 0 }
        let squares = reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(count)).squareRoot() / mean * 100
    }
}
