import Bytes
import PM5Codec

/// The targets for the strokes of an interval; nil without a target.
package struct TargetBands: Hashable, Sendable {
    /// Hundredths of a second per 500 m. The low end is the fastest pace.
    package var pace: TargetBand?
    /// Becomes `pace` when the athlete is known.
    package var paceOffset: PaceOffset?
    package var watts: TargetBand?
    /// Percent of the athlete's power over 2000 m. It becomes `watts` when the athlete is known.
    package var powerShare: TargetBand?
    /// Strokes per minute.
    package var rate: TargetBand?
    /// Beats per minute.
    package var heartRate: TargetBand?

    package init() {}

    package var isEmpty: Bool { self == TargetBands() }

    /// The paces that a monitor can show, in hundredths of a second per 500 m.
    package static let paces = 6_000...60_000

    /// W = 2.80 / (s per m)³; for a pace in hundredths of a second per 500 m it is 3.5e14 / pace³.
    package static func pace(ofWatts watts: Int) -> Int? {
        guard watts > 0 else { return nil }
        let cube = 350_000_000_000_000 / watts
        var (low, high) = (0, 100_000)
        while low < high {
            let middle = (low + high + 1) / 2
            if middle * middle * middle <= cube { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The test distances whose results the targets need.
    fileprivate var testDistances: [TestDistance] {
        (powerShare == nil ? [] : [.twoK]) + (paceOffset.map { [$0.distance] } ?? [])
    }

    fileprivate func resolved(_ powers: TestPowers) throws(RelativeTargetError) -> TargetBands {
        var bands = self
        if let share = powerShare {
            guard let power = powers.twoK else { throw .unknownPower(.twoK) }
            func watts(_ percent: Int?) -> Int? { percent.map { ($0 * power + 50) / 100 } }
            bands.powerShare = nil
            bands.watts = TargetBand(low: watts(share.low), high: watts(share.high))
        }
        if let offset = paceOffset {
            guard let base = powers[offset.distance].flatMap(Self.pace(ofWatts:)) else {
                throw .unknownPower(offset.distance)
            }
            let (low, high) = (offset.band.low.map { base + $0 }, offset.band.high.map { base + $0 })
            for pace in [low, high].compactMap(\.self) where !Self.paces.contains(pace) {
                throw .paceOutOfRange(pace)
            }
            bands.paceOffset = nil
            bands.pace = TargetBand(low: low, high: high)
        }
        return bands
    }
}

/// The targets of each interval of a workout, in order. The list repeats after its last element, so one
/// element applies to a whole piece or to every interval.
package struct WorkoutTargets: Hashable, Sendable {
    /// The number of intervals that a monitor can hold.
    static let maximumCount = WorkoutProgram.maximumIntervals

    package private(set) var intervals: [TargetBands]

    /// - Parameter intervals: one per interval. If all are empty, there is no target.
    package init(_ intervals: [TargetBands] = []) {
        if intervals.allSatisfy(\.isEmpty) {
            self.intervals = []
        } else if let first = intervals.first, intervals.allSatisfy({ $0 == first }) {
            self.intervals = [first]
        } else {
            self.intervals = intervals
        }
    }

    package var isEmpty: Bool { intervals.isEmpty }

    /// The test distances whose results the targets need, each once; empty if the targets do not depend on
    /// the athlete.
    package var testDistances: [TestDistance] {
        TestDistance.allCases.filter { distance in
            intervals.contains { $0.testDistances.contains(distance) }
        }
    }

    /// Returns the targets for an athlete with these powers.
    package func resolved(_ powers: TestPowers) throws(RelativeTargetError) -> WorkoutTargets {
        WorkoutTargets(
            try intervals.map { bands throws(RelativeTargetError) in try bands.resolved(powers) })
    }

    /// Returns the targets of an interval; nil without one.
    ///
    /// - Parameter number: 1-based.
    package func bands(ofInterval number: Int?) -> TargetBands? {
        guard !intervals.isEmpty else { return nil }
        guard intervals.count > 1 else { return intervals[0] }
        guard let number, number > 0 else { return nil }
        let bands = intervals[(number - 1) % intervals.count]
        return bands.isEmpty ? nil : bands
    }

    /// Compares values with the targets of an interval; nil without a target.
    func check(_ figures: some PerformanceValues, ofInterval number: Int?) -> TargetCheck? {
        bands(ofInterval: number).map { bands in
            TargetCheck(
                bands, pace: figures.pace, watts: figures.powerWatts, rate: figures.strokeRate,
                heartRate: figures.heartRate)
        }
    }
}

extension WorkoutTargets {
    mutating func code(with coder: inout ByteCoder) {
        var bands = intervals
        coder.list(&bands, blank: TargetBands()) { coder, bands in
            coder.band(&bands.pace)
            coder.band(&bands.watts)
            coder.band(&bands.rate)
            coder.band(&bands.heartRate)
        }
        guard bands.count <= Self.maximumCount else { return coder.refuse() }
        self = WorkoutTargets(bands)
    }
}

extension ByteCoder {
    /// Codes each end as 0 if open, otherwise plus one. Two zeros mean no band.
    fileprivate mutating func band(_ band: inout TargetBand?) {
        var low = band?.low.map { $0 + 1 } ?? 0
        var high = band?.high.map { $0 + 1 } ?? 0
        count(&low)
        count(&high)
        guard isReading else { return }
        let ends = TargetBand(low: low > 0 ? low - 1 : nil, high: high > 0 ? high - 1 : nil)
        band = ends == TargetBand(low: nil, high: nil) ? nil : ends
    }
}
