import Bests
import Bytes

/// A training zone by power, as a fraction of the mean power of the best 2000 m.
package enum PowerZone: String, CaseIterable, Sendable {
    /// Below all named zones: paddling.
    case below
    /// Utilisation 2 and 1, aerobic: power that can be sustained for hours, and for an hour.
    case ut2, ut1
    /// About the anaerobic threshold.
    case at
    /// Oxygen transport: about 2000 m power.
    case tr
    /// Anaerobic.
    case an
    /// Above 2000 m power.
    case above

    /// Upper end in percent, where the next zone begins; nil for the last.
    ///
    /// Rule of thumb of British and Irish rowing's training guides, as rowing programs use it.
    package var upperPercent: Int? {
        switch self {
        case .below: 55
        case .ut2: 65
        case .ut1: 75
        case .at: 85
        case .tr: 95
        case .an: 105
        case .above: nil
        }
    }
}

/// Zones by which the time of a session's strokes is divided.
package protocol TrainingZones: Equatable, Sendable {
    /// The formula of the time in zone.
    static var timeFormula: String { get }
    /// Hundredths of a second of a session in each zone, in order.
    ///
    /// - Parameters:
    ///   - power: the session's time at each power.
    ///   - heart: the session's time at each heart rate.
    func time(power: StrokeTimeHistogram, heart: StrokeTimeHistogram) -> [Int64]
    /// The first whole value above each zone but the last: watts, or beats per minute.
    var bounds: [Int] { get }
}

extension TrainingZones {
    /// Writes each zone with its bounds, in members with these names.
    func writeBounds(into json: inout JSONWriter, from: StaticString, to: StaticString) {
        json.list("bounds", of: zip(PowerZone.allCases, 0...bounds.count)) { json, element in
            let (zone, index) = element
            json.field("zone", zone.rawValue)
            json.field(from, index > 0 ? bounds[index - 1] : 0)
            if index < bounds.count { json.field(to, bounds[index]) }
        }
    }
}

/// An athlete's power zones on one kind of machine.
package struct PowerZones: TrainingZones {
    package let basis: FigureBasis
    /// Mean power of the 2000 m that defines the zones.
    package let watts: Double
    package let bounds: [Int]

    package static let formula = "percent of 2.80 / (s per m)^3 of the best ranked 2000 m"
    package static let timeFormula = "sum of the time of the strokes whose watts are in the zone"

    /// - Parameter bests: bests of one athlete; the all-time ones are used.
    package static func of(
        _ bests: [AthleteBests.Best], on machine: MachineKind
    ) -> Result<PowerZones, MissingReason> {
        guard machine != .bike else { return .failure(MissingReason(.notOnBike)) }
        let best = bests.first {
            $0.machine == machine && $0.season == nil && $0.event == .metres(2000)
        }
        guard let result = best?.ranked else { return .failure(MissingReason(.noRanked2000)) }
        return .success(PowerZones(result, on: machine))
    }

    /// - Parameter bests: the rower's bests; nil if no athlete was assigned.
    package static func of(
        _ bests: AthleteBests?, on machine: MachineKind
    ) -> Result<PowerZones, MissingReason> {
        bests.map { of($0.bests, on: machine) } ?? .failure(MissingReason(.noAthlete))
    }

    private init(_ result: EventResult, on machine: MachineKind) {
        let watts = result.watts(on: machine)
        self.watts = watts
        basis = FigureBasis(.ruleOfThumb, Self.formula, of: [result])
        bounds = PowerZone.allCases.compactMap(\.upperPercent)
            .map { Int((watts * Double($0) / 100).rounded(.up)) }
    }

    package func time(power: StrokeTimeHistogram, heart: StrokeTimeHistogram) -> [Int64] {
        power.time(between: bounds)
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("power_w", watts, places: 1)
        writeBounds(into: &json, from: "from_w", to: "to_w")
    }
}

/// An athlete's resting and maximal heart rate, entered by the athlete or a coach.
package struct HeartLimits: Equatable, Sendable {
    /// Beats per minute.
    package let resting: Int
    package let maximal: Int
    /// Unix milliseconds: when they were entered.
    package let givenAt: Int64

    /// Plausible resting heart rates; values outside are typing errors.
    package static let restingRange = 25...120
    package static let maximalRange = 100...240
    /// Minimum difference between the two; below it a zone would be a beat or two wide.
    package static let leastReserve = 40

    /// nil for implausible rates.
    package init?(resting: Int, maximal: Int, givenAt: Int64) {
        guard Self.restingRange.contains(resting), Self.maximalRange.contains(maximal),
            maximal - resting >= Self.leastReserve
        else { return nil }
        (self.resting, self.maximal, self.givenAt) = (resting, maximal, givenAt)
    }
}

/// An athlete's heart rate zones: fractions of the reserve between resting and maximal rate. They are the
/// same on all machines and need no results.
package struct HeartZones: TrainingZones {
    package let basis: FigureBasis
    package let limits: HeartLimits
    package let bounds: [Int]

    package static let formula = "resting rate + percent of (maximal - resting rate)"
    package static let timeFormula =
        "sum of the time of the strokes whose heart rate is in the zone"
    /// Lower bounds of UT2, UT1, AT, TR and AN; there is no zone above AN. Rule of thumb of Irish rowing's
    /// guide, whose author refers to the heart rate reserve.
    package static let percents = [55, 70, 80, 85, 95]

    /// - Parameter limits: nil if none were entered.
    package static func of(_ limits: HeartLimits?) -> Result<HeartZones, MissingReason> {
        limits.map { .success(HeartZones($0)) } ?? .failure(MissingReason(.noHeartLimits))
    }

    private init(_ limits: HeartLimits) {
        self.limits = limits
        basis = FigureBasis(.ruleOfThumb, Self.formula, of: [], on: limits.givenAt)
        let reserve = limits.maximal - limits.resting
        bounds = Self.percents.map { limits.resting + ($0 * reserve + 99) / 100 }
    }

    package func time(power: StrokeTimeHistogram, heart: StrokeTimeHistogram) -> [Int64] {
        heart.time(between: bounds)
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.field("resting_bpm", limits.resting)
        json.field("maximal_bpm", limits.maximal)
        writeBounds(into: &json, from: "from_bpm", to: "to_bpm")
    }
}

/// The time rowed in each zone, in a session or a span of time.
package struct TimeInZone: Equatable, Sendable {
    package let basis: FigureBasis
    /// Hundredths of a second in each zone, in order.
    package private(set) var centiseconds: [Int64]
    /// Hundredths of a second of work with unknown power or heart rate.
    package private(set) var unknown: Int64

    /// From sessions on the zones' machine.
    package init(_ pieces: [PieceTraining], in zones: any TrainingZones) {
        let metrics = pieces.map(\.metrics)
        basis = FigureBasis(
            .computed, type(of: zones).timeFormula, of: metrics.map(\.name),
            on: metrics.map(\.startedAt).max() ?? 0)
        centiseconds = [Int64](repeating: 0, count: zones.bounds.count + 1)
        unknown = 0
        for piece in pieces {
            let times = zones.time(power: piece.power, heart: piece.heart)
            for (index, time) in times.enumerated() { centiseconds[index] += time }
            unknown += max(0, piece.metrics.total.centiseconds - times.reduce(0, +))
        }
    }

    /// Time in zone of all spans with at least one session, in order. A session counts for the span in
    /// which it began.
    ///
    /// - Parameters:
    ///   - pieces: sessions on the zones' machine.
    ///   - season: only sessions of this season; nil for all.
    package static func all(
        of pieces: [PieceTraining], in zones: any TrainingZones, by length: TrainingSpan.Length,
        in season: Season? = nil
    ) -> [(span: TrainingSpan, time: TimeInZone)] {
        let inSeason = pieces.filter { piece in
            season.map { $0 == piece.metrics.season } ?? true
        }
        return Dictionary(grouping: inSeason) { TrainingSpan(length, of: $0.metrics.startedOn) }
            .sorted { $0.key < $1.key }
            .map { ($0.key, TimeInZone($0.value, in: zones)) }
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter, listsInputs: Bool = true) {
        basis.write(into: &json, listsInputs: listsInputs)
        json.list("zones", of: zip(PowerZone.allCases, centiseconds)) { json, part in
            json.field("zone", part.0.rawValue)
            json.field("time_s", part.1, places: 2)
        }
        json.field("unknown_s", unknown, places: 2)
    }
}
