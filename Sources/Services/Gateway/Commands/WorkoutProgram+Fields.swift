import PM5Codec

// A workout as a command describes it. The limits are the codec's own; here is only what a field
// is called.

extension WorkoutProgram {
    /// Reads `type` and what belongs to it; every other field of a workout is then unknown.
    init(_ fields: inout CommandFields) throws(CommandFault) {
        guard let type = try fields.text("type") else { throw fields.missing("type") }
        switch type {
        case "just_row": self.init(.justRow)
        case "distance": try self.init(single: "distance_m", split: "split_distance_m", &fields)
        case "time": try self.init(single: "duration_s", split: "split_duration_s", &fields)
        case "calories":
            try self.init(single: "calories_kcal", split: "split_calories_kcal", &fields)
        case "intervals": try self.init(intervals: &fields)
        default:
            throw fields.wrong("type", "must be just_row, distance, time, calories or intervals")
        }
        do throws(WorkoutProgramError) { try validate() } catch {
            throw CommandFault(error, of: self)
        }
    }

    private init(
        single name: String, split splitName: String, _ fields: inout CommandFields
    ) throws(CommandFault) {
        guard let extent = try fields.extent(name) else { throw fields.missing(name) }
        let split = try fields.extent(splitName) ?? extent.usualSplit
        self.init(
            .single(extent, split: split), targetPaceCentisecondsPer500m: try fields.targetPace())
    }

    private init(intervals fields: inout CommandFields) throws(CommandFault) {
        guard let values = try fields.list("intervals") else { throw fields.missing("intervals") }
        let count = try fields.integer("repeat", in: 1...Self.maximumIntervals) ?? 1
        let isEndless = try fields.flag("endless") ?? false
        let target = try fields.targetPace()
        guard !values.isEmpty else { throw fields.wrong("intervals", "must not be empty") }
        guard values.count * count <= Self.maximumIntervals else {
            throw CommandFault(
                .tooManyIntervals,
                "\(values.count * count) intervals; a monitor holds at most "
                    + "\(Self.maximumIntervals)")
        }
        var intervals: [Interval] = []
        for (index, value) in values.enumerated() {
            let path = "intervals[\(index + 1)]"
            guard case .object(let object) = value else {
                throw CommandFault(.badValue, "\(path) must be an object")
            }
            var inner = CommandFields(object, path: path + ".")
            intervals.append(try Interval(&inner, target: target))
        }
        guard isEndless else {
            let all = (0..<count).flatMap { _ in intervals }
            self.init(.intervals(all))
            return
        }
        guard let only = intervals.first, intervals.count == 1, count == 1,
            case .seconds(let rest) = only.rest
        else {
            throw fields.wrong("endless", "goes with one interval, and a rest that ends")
        }
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
    /// The unit is the end of the name.
    fileprivate mutating func extent(
        _ name: String
    ) throws(CommandFault) -> WorkoutProgram.Extent? {
        // Far beyond what a monitor takes, which the codec knows better.
        guard let amount = try integer(name, in: 1...10_000_000) else { return nil }
        if name.hasSuffix("_m") { return .meters(UInt32(amount)) }
        return name.hasSuffix("_s")
            ? .centiseconds(UInt32(amount) * 100) : .calories(UInt32(amount))
    }

    /// Between a world record sprint and a walk.
    fileprivate mutating func targetPace() throws(CommandFault) -> UInt32? {
        try centiseconds("target_pace_s_per_500m", inSeconds: 60...600)
    }
}

extension CommandFault {
    /// Says it in the units that the command had.
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
