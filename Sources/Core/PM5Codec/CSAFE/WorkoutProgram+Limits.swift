/// Why the monitor would reject a workout, with the value.
package enum WorkoutProgramError: Error, Hashable, Sendable {
    /// The number that is out of range, in the unit of its extent.
    package enum Quantity: Hashable, Sendable {
        case piece
        case split
        /// Zero-based; repeating intervals all have number 0.
        case interval(Int)
        /// Seconds after the interval with this number.
        case rest(Int)
    }

    case outOfRange(Quantity, value: UInt32, allowed: ClosedRange<UInt32>)
    case splitUnitDiffers
    case splitLongerThanPiece(split: UInt32, piece: UInt32)
    case tooManySplits(Int, limit: Int)
    case intervalCount(Int, allowed: ClosedRange<Int>)
    /// A calorie piece has no workout type without splits.
    case caloriesNeedSplit
}

/// Limits of newer firmware. Source: Concept2 CSAFE definition rev 0.27, table 19.
private enum Limit {
    static let meters: ClosedRange<UInt32> = 100...999_999
    /// 0:20 to 9:59:59.
    static let pieceCentiseconds: ClosedRange<UInt32> = 2_000...3_599_900
    /// 0:20 to 59:59.
    static let repeatingCentiseconds: ClosedRange<UInt32> = 2_000...359_900
    /// 0:20 to 99:59:59.
    static let variableCentiseconds: ClosedRange<UInt32> = 2_000...35_999_900
    static let pieceCalories: ClosedRange<UInt32> = 5...65_535
    static let intervalCalories: ClosedRange<UInt32> = 5...999
    static let splitMeters: ClosedRange<UInt32> = 100...60_000
    /// 0:20 to 1:30:00.
    static let splitCentiseconds: ClosedRange<UInt32> = 2_000...540_000
    /// 0:00 to 9:55.
    static let restSeconds: ClosedRange<UInt32> = 0...595
    static let splits = 50
    static let intervals = 1...50
}

extension WorkoutProgram {
    /// The number of intervals that a monitor can hold.
    package static let maximumIntervals = Limit.intervals.upperBound
    /// The longest rest after an interval.
    package static let maximumRestSeconds = Int(Limit.restSeconds.upperBound)

    /// Throws for the first value that the monitor would reject.
    package func validate() throws(WorkoutProgramError) {
        switch plan {
        case .justRow, .justRowWithSplits(nil): return
        case .justRowWithSplits(let split?):
            try check(.split, split.wire.amount, split.splitRange)
        case .single(let extent, let split):
            try check(.piece, extent.wire.amount, extent.pieceRange)
            try validate(split, of: extent)
        case .repeating(let extent, let restSeconds):
            let range = extent.intervalRange(centiseconds: Limit.repeatingCentiseconds)
            try check(.interval(0), extent.wire.amount, range)
            try check(.rest(0), UInt32(restSeconds), Limit.restSeconds)
        case .intervals(let intervals):
            try validate(intervals)
        }
    }

    private func validate(_ split: Extent?, of piece: Extent) throws(WorkoutProgramError) {
        guard let split else {
            if case .calories = piece { throw .caloriesNeedSplit }
            return
        }
        let (type, amount) = split.wire
        let (pieceType, pieceAmount) = piece.wire
        guard type == pieceType else { throw .splitUnitDiffers }
        try check(.split, amount, split.splitRange)
        guard amount <= pieceAmount else {
            throw .splitLongerThanPiece(split: amount, piece: pieceAmount)
        }
        let count = Int((pieceAmount + amount - 1) / amount)
        guard count <= Limit.splits else { throw .tooManySplits(count, limit: Limit.splits) }
    }

    private func validate(_ intervals: [Interval]) throws(WorkoutProgramError) {
        guard Limit.intervals.contains(intervals.count) else {
            throw .intervalCount(intervals.count, allowed: Limit.intervals)
        }
        for (index, interval) in intervals.enumerated() {
            let range = interval.work.intervalRange(centiseconds: Limit.variableCentiseconds)
            try check(.interval(index), interval.work.wire.amount, range)
            if case .seconds(let seconds) = interval.rest {
                try check(.rest(index), UInt32(seconds), Limit.restSeconds)
            }
        }
    }

    private func check(
        _ quantity: WorkoutProgramError.Quantity, _ value: UInt32, _ allowed: ClosedRange<UInt32>
    ) throws(WorkoutProgramError) {
        guard allowed.contains(value) else {
            throw .outOfRange(quantity, value: value, allowed: allowed)
        }
    }
}

extension WorkoutProgram.Extent {
    fileprivate var pieceRange: ClosedRange<UInt32> {
        switch self {
        case .meters: Limit.meters
        case .centiseconds: Limit.pieceCentiseconds
        case .calories: Limit.pieceCalories
        }
    }

    fileprivate func intervalRange(centiseconds: ClosedRange<UInt32>) -> ClosedRange<UInt32> {
        switch self {
        case .meters: Limit.meters
        case .centiseconds: centiseconds
        case .calories: Limit.intervalCalories
        }
    }

    /// A fifth of the piece, like the default of the monitor's menu, in whole units and within its limits.
    package var usualSplit: WorkoutProgram.Extent {
        func fifth(of amount: UInt32, unit: UInt32 = 1) -> UInt32 {
            let whole = (amount / 5 + unit - 1) / unit * unit
            return min(max(whole, splitRange.lowerBound), splitRange.upperBound, amount)
        }
        return switch self {
        case .meters(let amount): .meters(fifth(of: amount))
        case .centiseconds(let amount): .centiseconds(fifth(of: amount, unit: 100))
        case .calories(let amount): .calories(fifth(of: amount))
        }
    }

    fileprivate var splitRange: ClosedRange<UInt32> {
        switch self {
        case .meters: Limit.splitMeters
        case .centiseconds: Limit.splitCentiseconds
        case .calories: Limit.pieceCalories
        }
    }
}

extension WorkoutProgramError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outOfRange(let quantity, let value, let allowed):
            "\(quantity) is \(value), allowed \(allowed.lowerBound) to \(allowed.upperBound)"
        case .splitUnitDiffers: "split and piece have different units"
        case .splitLongerThanPiece(let split, let piece):
            "split \(split) is longer than the piece \(piece)"
        case .tooManySplits(let count, let limit): "\(count) splits, at most \(limit)"
        case .intervalCount(let count, let allowed):
            "\(count) intervals, allowed \(allowed.lowerBound) to \(allowed.upperBound)"
        case .caloriesNeedSplit: "a calorie piece needs a split"
        }
    }
}

extension WorkoutProgramError.Quantity: CustomStringConvertible {
    package var description: String {
        switch self {
        case .piece: "piece"
        case .split: "split"
        case .interval(let index): "interval \(index + 1)"
        case .rest(let index): "rest of interval \(index + 1) in seconds"
        }
    }
}
