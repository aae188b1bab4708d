import Bytes
import PM5Codec
import Rowing

/// A requested workout: the program for the monitor, and the targets of its strokes.
package struct WorkoutRequest: Equatable, Sendable {
    package var program: WorkoutProgram
    package var targets = WorkoutTargets()
}

extension WorkoutProgram {
    /// Returns the program with a target pace from the targets, if the program has none: the middle of
    /// the pace band, or the pace for the middle of the power band.
    package func showing(_ targets: WorkoutTargets) -> WorkoutProgram {
        var program = self
        func pace(ofInterval number: Int) -> UInt32? {
            targets.bands(ofInterval: number).flatMap(\.shownPace)
        }
        switch plan {
        case .justRow, .justRowWithSplits: break
        case .single, .repeating:
            program.targetPaceCentisecondsPer500m =
                targetPaceCentisecondsPer500m ?? pace(ofInterval: 1)
        case .intervals(var intervals):
            for index in intervals.indices
            where intervals[index].targetPaceCentisecondsPer500m == nil {
                intervals[index].targetPaceCentisecondsPer500m = pace(ofInterval: index + 1)
            }
            program.plan = .intervals(intervals)
        }
        return program
    }
}

extension TargetBands {
    /// Hundredths of a second per 500 m; nil if there is none or it is outside the limits of a workout.
    fileprivate var shownPace: UInt32? {
        let middle = pace?.middle ?? watts?.middle.flatMap { Self.pace(ofWatts: $0) }
        return middle.flatMap { Self.paces.contains($0) ? UInt32($0) : nil }
    }
}

// Names of the fields of a workout command, and the ranges of targets. The codec has the limits of
// the workout itself.

/// Changes `targets`.
extension WorkoutRequest {
    /// Reads the name of one of `workouts`; returns nil without the field `workout`.
    init?(named workouts: [NamedWorkout], _ fields: inout CommandFields) throws(CommandFault) {
        guard let name = try fields.text("workout") else { return nil }
        guard let workout = workouts.first(where: { $0.name == name }) else {
            let names = workouts.map(\.name)
            let near = Spelling.nearest(to: String(name.prefix(32)), among: names)
            let advice =
                near.map { "did you mean \($0)?" }
                ?? (names.isEmpty
                    ? "the gateway's configuration has no [[workout]]"
                    : "there are: " + names.joined(separator: ", "))
            throw fields.wrong("workout", "is not a workout of the gateway; \(advice)")
        }
        self = workout.order
    }

    /// Reads `type` and its fields.
    init(_ fields: inout CommandFields) throws(CommandFault) {
        guard let type = try fields.text("type") else { throw fields.missing("type") }
        let bands = try fields.bands()
        switch type {
        case "just_row": self.init(program: WorkoutProgram(.justRow))
        case "distance": try self.init(single: "distance_m", split: "split_distance_m", &fields)
        case "time": try self.init(single: "duration_s", split: "split_duration_s", &fields)
        case "calories":
            try self.init(single: "calories_kcal", split: "split_calories_kcal", &fields)
        case "intervals": try self.init(intervals: &fields, bands: bands)
        default:
            throw fields.wrong("type", "must be just_row, distance, time, calories or intervals")
        }
        if type != "intervals" { targets = WorkoutTargets([bands]) }
        do throws(WorkoutProgramError) { try program.validate() } catch {
            throw CommandFault(error, of: program)
        }
    }

    private init(
        single name: String, split splitName: String, _ fields: inout CommandFields
    ) throws(CommandFault) {
        guard let extent = try fields.extent(name) else { throw fields.missing(name) }
        let split = try fields.extent(splitName) ?? extent.usualSplit
        let plan = WorkoutProgram.Plan.single(extent, split: split)
        self.init(
            program: WorkoutProgram(
                plan, targetPaceCentisecondsPer500m: try fields.targetPace()))
    }

    /// - Parameter bands: default targets of the intervals.
    private init(
        intervals fields: inout CommandFields, bands: TargetBands
    ) throws(CommandFault) {
        guard let values = try fields.list("intervals") else { throw fields.missing("intervals") }
        let most = WorkoutProgram.maximumIntervals
        let count = try fields.integer("repeat", in: 1...most) ?? 1
        let isEndless = try fields.flag("endless") ?? false
        let target = try fields.targetPace()
        guard !values.isEmpty else { throw fields.wrong("intervals", "must not be empty") }
        guard values.count * count <= most else {
            throw CommandFault(
                .tooManyIntervals,
                "\(values.count * count) intervals; a monitor holds at most \(most)")
        }
        var intervals: [WorkoutProgram.Interval] = []
        var targets: [TargetBands] = []
        for (index, value) in values.enumerated() {
            let path = "intervals[\(index + 1)]"
            guard case .object(let object) = value else {
                throw CommandFault(.badValue, "\(path) must be an object")
            }
            var inner = CommandFields(object, path: path + ".")
            let own = try inner.bands(else: bands)
            if target != nil, let offset = own.paceOffset {
                throw inner.wrong(
                    offset.minimumField,
                    "and target_pace_s_per_500m of the workout exclude each other; set the pace in each interval"
                )
            }
            targets.append(own)
            intervals.append(try WorkoutProgram.Interval(&inner, target: target))
        }
        if isEndless {
            guard count == 1, let program = WorkoutProgram(repeating: intervals) else {
                throw fields.wrong("endless", "needs exactly one interval, with a limited rest")
            }
            self.init(program: program, targets: WorkoutTargets(targets))
        } else {
            let all = (0..<count).flatMap { _ in intervals }
            self.init(
                program: WorkoutProgram(.intervals(all)), targets: WorkoutTargets(targets))
        }
    }
}

extension WorkoutProgram {
    /// Returns nil unless there is one interval with a limited rest.
    fileprivate init?(repeating intervals: [Interval]) {
        guard let only = intervals.first, intervals.count == 1, case .seconds(let rest) = only.rest
        else { return nil }
        self.init(
            .repeating(only.work, restSeconds: rest),
            targetPaceCentisecondsPer500m: only.targetPaceCentisecondsPer500m)
    }
}

extension WorkoutProgram.Interval {
    fileprivate init(
        _ fields: inout CommandFields, target: UInt32?
    ) throws(CommandFault) {
        var extents: [WorkoutProgram.Extent] = []
        for name in ["distance_m", "duration_s", "calories_kcal"] {
            if let extent = try fields.extent(name) { extents.append(extent) }
        }
        guard let work = extents.first else {
            throw fields.missing("distance_m, duration_s or calories_kcal")
        }
        guard extents.count == 1 else {
            throw fields.wrong("distance_m, duration_s and calories_kcal", "exclude each other")
        }
        let seconds = try fields.integer("rest_s", in: 0...WorkoutProgram.maximumRestSeconds)
        let isUndefined = try fields.flag("undefined_rest") ?? false
        guard seconds == nil || !isUndefined else {
            throw fields.wrong("rest_s", "and undefined_rest exclude each other")
        }
        self.init(
            work, rest: isUndefined ? .undefined : .seconds(UInt16(seconds ?? 0)),
            targetPaceCentisecondsPer500m: try fields.targetPace() ?? target)
        try fields.finish()
    }
}

extension CommandFields {
    /// The suffix of the name tells the unit.
    fileprivate mutating func extent(
        _ name: String
    ) throws(CommandFault) -> WorkoutProgram.Extent? {
        // Only prevents overflow; the codec checks the monitor's limits.
        guard let amount = try integer(name, in: 1...10_000_000) else { return nil }
        if name.hasSuffix("_m") { return .meters(UInt32(amount)) }
        return name.hasSuffix("_s")
            ? .centiseconds(UInt32(amount) * 100) : .calories(UInt32(amount))
    }

    /// Target pace in seconds per 500 m.
    private static let paceSeconds = TargetBands.paces.lowerBound / 100...TargetBands.paces.upperBound / 100
    /// Seconds per 500 m that a target may be faster or slower than the pace over a test distance; also in
    /// `contract.toml`.
    private static let offsetSeconds = -30...60

    fileprivate mutating func targetPace() throws(CommandFault) -> UInt32? {
        try centiseconds("target_pace_s_per_500m", inSeconds: Self.paceSeconds)
    }

    /// Reads the targets. A single target pace becomes a band with equal limits, unless there is a pace
    /// band too.
    ///
    /// - Parameter others: defaults for absent fields.
    fileprivate mutating func bands(
        else others: TargetBands = TargetBands()
    ) throws(CommandFault) -> TargetBands {
        var bands = TargetBands()
        let single = try targetPace().map { TargetBand(low: Int($0), high: Int($0)) }
        bands.pace =
            try band("pace", "_s_per_500m") { fields, name throws(CommandFault) in
                try fields.centiseconds(name, inSeconds: Self.paceSeconds).map { Int($0) }
            } ?? single
        bands.paceOffset = try paceOffset()
        if let offset = bands.paceOffset, bands.pace != nil {
            let other = single == nil ? "target_pace_min_s_per_500m" : "target_pace_s_per_500m"
            throw wrong(offset.minimumField, "and \(other) exclude each other")
        }
        if bands.pace == nil, bands.paceOffset == nil {
            (bands.pace, bands.paceOffset) = (others.pace, others.paceOffset)
        }
        bands.watts = try band("power", "_w", in: 1...2000)
        bands.powerShare = try band("2k_power", "_pct", in: 20...200)
        if bands.watts == nil, bands.powerShare == nil {
            (bands.watts, bands.powerShare) = (others.watts, others.powerShare)
        }
        guard bands.watts == nil || bands.powerShare == nil else {
            throw wrong("target_2k_power_min_pct", "and target_power_min_w exclude each other")
        }
        bands.rate = try band("stroke_rate", "_spm", in: 10...60) ?? others.rate
        bands.heartRate = try band("heart_rate", "_bpm", in: 30...250) ?? others.heartRate
        return bands
    }

    /// Reads a target pace relative to one of the test distances; nil without one.
    private mutating func paceOffset() throws(CommandFault) -> PaceOffset? {
        var found: PaceOffset?
        for distance in TestDistance.allCases {
            let band = try band("\(distance.rawValue)_offset", "_s_per_500m") {
                fields, name throws(CommandFault) in
                try fields.signedCentiseconds(name, inSeconds: Self.offsetSeconds)
            }
            guard let band else { continue }
            let offset = PaceOffset(distance, band)
            if let found {
                throw wrong(found.minimumField, "and \(offset.minimumField) exclude each other")
            }
            found = offset
        }
        return found
    }

    private mutating func band(
        _ quantity: String, _ unit: String, in range: ClosedRange<Int>
    ) throws(CommandFault) -> TargetBand? {
        try band(quantity, unit) { fields, name throws(CommandFault) in
            try fields.integer(name, in: range)
        }
    }

    /// Reads the lower and upper limit of a value; nil if both are absent.
    private mutating func band(
        _ quantity: String, _ unit: String,
        _ read: (inout CommandFields, String) throws(CommandFault) -> Int?
    ) throws(CommandFault) -> TargetBand? {
        let names = ["min", "max"].map { "target_\(quantity)_\($0)\(unit)" }
        let (low, high) = (try read(&self, names[0]), try read(&self, names[1]))
        guard low != nil || high != nil else { return nil }
        if let low, let high, low > high { throw wrong(names[0], "is above \(names[1])") }
        return TargetBand(low: low, high: high)
    }
}

extension PaceOffset {
    /// The name that errors use for its fields.
    fileprivate var minimumField: String { "target_\(distance.rawValue)_offset_min_s_per_500m" }
}

extension CommandFault {
    /// Describes the error in the units of the command.
    fileprivate init(_ error: WorkoutProgramError, of program: WorkoutProgram) {
        switch error {
        case .outOfRange(let quantity, let value, let allowed):
            let (divisor, unit) = program.unit(of: quantity)
            self.init(
                .badValue,
                "\(quantity) is \(value / divisor) \(unit), must be "
                    + "\(allowed.lowerBound / divisor) to \(allowed.upperBound / divisor)")
        case .intervalCount: self.init(.tooManyIntervals, "\(error)")
        case .splitUnitDiffers, .splitLongerThanPiece, .tooManySplits, .caloriesNeedSplit:
            self.init(.badValue, "\(error)")
        }
    }
}

extension WorkoutProgram {
    fileprivate func unit(
        of quantity: WorkoutProgramError.Quantity
    ) -> (divisor: UInt32, name: String) {
        let extent: Extent?
        switch (quantity, plan) {
        case (.rest, _): return (1, "s")
        case (.interval(let index), .intervals(let intervals)): extent = intervals[index].work
        case (.split, .single(_, let split)): extent = split
        case (_, .single(let piece, _)): extent = piece
        case (_, .repeating(let piece, _)): extent = piece
        default: extent = nil
        }
        return switch extent {
        case .meters?: (1, "m")
        case .centiseconds?: (100, "s")
        case .calories?, nil: (1, "kcal")
        }
    }
}

/// A workout with a name in the configuration.
package struct NamedWorkout: Equatable, Sendable {
    /// A slug.
    package let name: String
    /// The configured text: `WorkoutNotation.syntax`.
    package let row: String
    package let order: WorkoutRequest

    package init(_ name: String, row: String) throws(WorkoutNotationError) {
        (self.name, self.row) = (name, row)
        order = try WorkoutRequest(parsing: row)
    }
}

extension WorkoutRequest {
    /// Parses workout notation, and checks the limits of a monitor.
    package init(parsing text: String) throws(WorkoutNotationError) {
        let notation = try WorkoutNotation(parsing: text)
        let object = (try? JSONObject(parsing: notation.json)) ?? .empty
        var fields = CommandFields(object)
        do throws(CommandFault) { try self.init(&fields) } catch {
            throw WorkoutNotationError(text: text, reason: error.message)
        }
    }
}

/// `workouts`: the named workouts, which the pages offer.
package struct WorkoutList: RetainedBody {
    package static let name = "workouts"

    private let workouts: [NamedWorkout]

    package init(_ workouts: [NamedWorkout]) { self.workouts = workouts }

    package func write(into json: inout JSONWriter) {
        json.object("workouts") { json in
            for workout in workouts {
                json.key(workout.name)
                json.value(workout.row)
            }
        }
    }
}
