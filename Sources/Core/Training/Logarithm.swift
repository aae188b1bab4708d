/// Logarithm and exponential function, exact to the last few bits: the standard library has none.
enum Logarithm {
    private static let ln2 = 0.693_147_180_559_945_309_4

    /// For a number above 0.
    static func natural(_ value: Double) -> Double {
        precondition(value > 0, "a logarithm of \(value)")
        // 2 artanh((m - 1) / (m + 1)), where m is within sqrt(2) of 1: each term is at most 1/34 of the one
        // before.
        var (mantissa, exponent) = (value.significand, Double(value.exponent))
        if mantissa > 1.414_213_562_373_095 { (mantissa, exponent) = (mantissa / 2, exponent + 1) }
        let ratio = (mantissa - 1) / (mantissa + 1)
        var (term, sum) = (ratio, 0.0)
        for odd in stride(from: 1.0, through: 25, by: 2) {
            sum += term / odd
            term *= ratio * ratio
        }
        return 2 * sum + exponent * ln2
    }

    static func binary(_ value: Double) -> Double { natural(value) / ln2 }

    /// e to a power from -700 to 700.
    static func exponential(_ power: Double) -> Double {
        let whole = (power / ln2).rounded()
        let rest = power - whole * ln2
        var (term, sum) = (1.0, 1.0)
        for number in 1...16 {
            term *= rest / Double(number)
            sum += term
        }
        return Double(sign: .plus, exponent: Int(whole), significand: sum)
    }
}
