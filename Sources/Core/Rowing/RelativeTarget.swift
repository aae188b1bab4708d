/// A distance whose result is the base of targets that are relative to an athlete.
package enum TestDistance: String, CaseIterable, Sendable {
    case twoK = "2k"
    case sixK = "6k"
}

/// The mean powers of an athlete over the test distances, in watts; nil if unknown.
package struct TestPowers: Equatable, Sendable {
    package var twoK: Int?
    package var sixK: Int?

    package init(twoK: Int? = nil, sixK: Int? = nil) { (self.twoK, self.sixK) = (twoK, sixK) }

    package subscript(distance: TestDistance) -> Int? {
        switch distance {
        case .twoK: twoK
        case .sixK: sixK
        }
    }
}

/// A target pace relative to the athlete's pace over a test distance.
package struct PaceOffset: Hashable, Sendable {
    package var distance: TestDistance
    /// Hundredths of a second per 500 m, positive if slower. The low end is the fastest pace.
    package var band: TargetBand

    package init(_ distance: TestDistance, _ band: TargetBand) {
        (self.distance, self.band) = (distance, band)
    }
}

/// Why targets that are relative to an athlete have no value.
package enum RelativeTargetError: Error, Equatable {
    /// The athlete's power over this distance is unknown.
    case unknownPower(TestDistance)
    /// The pace, in hundredths of a second per 500 m, is outside `TargetBands.paces`.
    case paceOutOfRange(Int)
}
