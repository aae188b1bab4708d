/// The PM5's formulas for speed, pace, power and calories.
///
/// Source: Concept2 CSAFE definition rev 0.25, appendix B; checked against the ErgometerJS
/// recording. The formulas are those of the RowErg and the SkiErg.
enum RowingFormulas {
    static let newtonsPerPoundForce = 4.448222

    /// Watts at a speed in metres per second.
    static func power(speed: Double) -> Double { 2.80 * speed * speed * speed }

    /// Calories per hour at a power in watts.
    static func calorieRate(power: Double) -> Double { 3.4416 * power + 300 }

    /// Calories of a stretch at its average power.
    static func calories(milliseconds: Int, meters: Double) -> Double {
        guard milliseconds > 0 else { return 0 }
        let seconds = Double(milliseconds) / 1000
        return calorieRate(power: power(speed: meters / seconds)) * seconds / 3600
    }

    /// Watt-minutes of a stretch at its average power.
    static func wattMinutes(milliseconds: Int, meters: Double) -> Double {
        guard milliseconds > 0 else { return 0 }
        let seconds = Double(milliseconds) / 1000
        return power(speed: meters / seconds) * seconds / 60
    }

    /// Centiseconds per 500 m; 0, which means none on the wire, without speed.
    static func pace(speed: Double) -> UInt16 {
        speed > 0.77 ? UInt16(50_000 / speed) : 0
    }

    static func speed(milliseconds: Int, meters: Double) -> Double {
        milliseconds > 0 ? meters * 1000 / Double(milliseconds) : 0
    }
}
