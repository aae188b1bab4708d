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
