import Rowing

/// Sums over the strokes of an erg since the room's last reading. The erg updates them with each
/// stroke, and the room reads them at its own pace.
package struct ErgStrokeSums: Equatable, Sendable {
    package private(set) var strokes = 0
    private(set) var distance = Meters.zero
    private(set) var watts = Spread()
    /// Strokes per minute.
    private(set) var rate = Spread()
    /// Beats per minute.
    private(set) var heartRate = Spread()
    /// Hundredths of a millimetre per second.
    private(set) var speed = Spread()
    private(set) var curves = MeanCurve()

    package init() {}

    /// Handles an event of the erg.
    package mutating func add(_ event: SessionEvent) {
        switch event {
        case .stroke(let stroke): add(stroke)
        case .force(let curve): curves.add(curve)
        case .session, .split, .summary, .gap, .state: break
        }
    }

    private mutating func add(_ stroke: Stroke) {
        strokes += 1
        if let length = stroke.strokeDistance { distance = distance + length }
        if let power = stroke.powerWatts { watts.add(power) }
        if let perMinute = stroke.strokeRate { rate.add(perMinute) }
        if let beats = stroke.heartRate { heartRate.add(beats) }
        if let pace = stroke.pace, let fine = pace.speed { speed.add(fine) }
    }

    /// Adds the sums of `other`.
    mutating func add(_ other: ErgStrokeSums) {
        strokes += other.strokes
        distance = distance + other.distance
        watts.add(other.watts)
        rate.add(other.rate)
        heartRate.add(other.heartRate)
        speed.add(other.speed)
        curves.add(other.curves)
    }

    /// Returns the sums and resets them.
    package mutating func drain() -> ErgStrokeSums {
        defer { self = ErgStrokeSums() }
        return self
    }
}

extension Pace {
    /// 500 m in hundredths of a millimetre.
    private static let fiveHundredMeters: Int64 = 500 * 1000 * 100
    /// The fastest possible time for 500 m: 50 s.
    private static let fastest: Int64 = 50_000

    /// Hundredths of a millimetre per second; nil for an impossible speed.
    var speed: Int? {
        guard millisecondsPer500m >= Self.fastest else { return nil }
        return Int(Self.fiveHundredMeters * 1000 / millisecondsPer500m)
    }

    /// The inverse of `speed`; nil for none.
    init?(speed: Int) {
        guard speed > 0 else { return nil }
        self.init(
            millisecondsPer500m: (Self.fiveHundredMeters * 1000 + Int64(speed) / 2) / Int64(speed))
    }
}

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

/// The mean shape of several force curves: each is resampled over its drive and scaled to its own
/// maximum, so that neither a long drive nor a strong one counts more.
package struct MeanCurve: Equatable, Sendable {
    /// Points per drive, however many the monitor sends.
    static let points = 100
    /// The scaled maximum force.
    static let peak = 10_000

    package private(set) var count = 0
    /// Sum of the curves at each point; empty if there are none.
    private var sums: [Int] = []

    package init() {}

    /// Adds a curve, if it is complete.
    mutating func add(_ curve: ForceCurve) {
        guard curve.isComplete, curve.poundsForce.count > 1,
            let greatest = curve.poundsForce.max(), greatest > 0
        else { return }
        let last = curve.poundsForce.count - 1
        add { point in
            // The two neighbouring values of the curve, and the fraction between them.
            let (index, part) = (point * last).quotientAndRemainder(dividingBy: Self.points - 1)
            let before = Int(curve.poundsForce[index])
            let behind = Int(curve.poundsForce[min(index + 1, last)])
            let value = before * (Self.points - 1) + (behind - before) * part
            return value * Self.peak / ((Self.points - 1) * Int(greatest))
        }
    }

    /// Adds a shape, which counts as one curve.
    mutating func add(_ form: [Int]) { add { form[$0] } }

    /// Adds all curves of `other`.
    mutating func add(_ other: MeanCurve) {
        guard other.count > 0 else { return }
        add { other.sums[$0] }
        count += other.count - 1
    }

    private mutating func add(_ value: (Int) -> Int) {
        if sums.isEmpty { sums = [Int](repeating: 0, count: Self.points) }
        for point in 0..<Self.points { sums[point] += value(point) }
        count += 1
    }

    /// The mean at each point, scaled to its maximum; nil without curves.
    var form: [Int]? {
        guard let greatest = sums.max(), greatest > 0 else { return nil }
        return sums.map { ($0 * Self.peak + greatest / 2) / greatest }
    }

    /// The similarity of two shapes in thousandths: 1 - RMSE over all points.
    static func similarity(_ form: [Int], _ other: [Int]) -> Int {
        let squares = zip(form, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let error = (Double(squares) / Double(points)).squareRoot() / Double(peak)
        return Int(((1 - error) * 1000).rounded())
    }
}
