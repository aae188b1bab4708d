/// The rower: speed, stroke length, heart rate response.
package struct RowerProfile: Equatable, Sendable {
    /// Speed the rower settles at, in metres per second.
    package var cruisingSpeed: Double
    /// Stroke rate, held for the whole piece.
    package var strokesPerMinute: Double
    /// How far the handle travels.
    package var driveLengthMeters: Double
    /// Relative loss or gain of speed per simulated hour, including pauses.
    package var fadePerHour: Double
    /// As the monitor shows it, in 1e-6 N m s².
    package var dragFactor: Int
    /// Beats per minute.
    package var restingHeartRate: Double
    /// Reached after some minutes of maximum effort.
    package var maximumHeartRate: Double
    /// Power at which the heart rate approaches its maximum.
    package var maximumEffortWatts = 300.0
    /// Nil if the rower wears no belt.
    package var beltID: UInt32?

    /// A random club rower; the same for the same generator state. Three in four wear a belt.
    package init(drawnFrom generator: inout SeededGenerator) {
        cruisingSpeed = generator.uniform(3.6...4.7)
        strokesPerMinute = generator.uniform(20...28)
        driveLengthMeters = generator.uniform(1.15...1.45)
        fadePerHour = generator.uniform(-0.04...0.10)
        dragFactor = generator.integer(100...130)
        restingHeartRate = generator.uniform(55...75)
        maximumHeartRate = generator.uniform(165...195)
        beltID = generator.integer(0...3) == 0 ? nil : UInt32(generator.integer(1000...65_000))
    }

    /// The rower of an erg in a room of simulated ergs, as `pm5sim --seed` draws it.
    ///
    /// - Parameter number: 1 for the first erg.
    package init(ofErg number: Int, in room: UInt64) {
        var generator = SeededGenerator(seed: SimulatedErg.seed(ofErg: number, in: room))
        self.init(drawnFrom: &generator)
    }
}

/// A heart rate that follows the work with a delay of about half a minute.
struct HeartModel: Equatable, Sendable {
    private(set) var beatsPerMinute: Double
    private var second = 0
    private let resting: Double
    private let maximum: Double
    private let maximumEffortWatts: Double

    init(_ profile: RowerProfile) {
        resting = profile.restingHeartRate
        maximum = profile.maximumHeartRate
        maximumEffortWatts = profile.maximumEffortWatts
        beatsPerMinute = resting + 15
    }

    /// Advances to `milliseconds` at `watts`, in whole seconds however often it is called.
    mutating func advance(to milliseconds: Int, watts: Double) {
        let effort = min(watts / maximumEffortWatts, 1)
        let target = resting + 20 + (maximum - resting - 20) * effort
        while (second + 1) * 1000 <= milliseconds {
            second += 1
            let lag = target > beatsPerMinute ? 30.0 : 45.0
            beatsPerMinute += (target - beatsPerMinute) / lag
        }
    }
}

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
