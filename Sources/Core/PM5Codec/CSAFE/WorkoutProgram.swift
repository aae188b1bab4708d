/// A workout to program on the monitor, and its frames.
///
/// Order and split rules: Concept2 CSAFE definition rev 0.25, workout configuration; tests on hardware
/// where the document has no rule. Watt-minute pieces are not supported, because their duration type is not
/// confirmed on any monitor. Never program during a piece: the monitor acknowledges but arms an empty
/// workout. Send `Command.terminateWorkout` and wait for `WorkoutState.waitToBegin`.
package struct WorkoutProgram: Hashable, Sendable {
    /// The length of a piece, interval or split.
    package enum Extent: Hashable, Sendable {
        case meters(UInt32)
        case centiseconds(UInt32)
        case calories(UInt32)
    }

    /// The rest after an interval.
    package enum Rest: Hashable, Sendable {
        /// 0 to 595 seconds.
        case seconds(UInt16)
        /// Until the rower starts again, or virtual key D.
        case undefined
    }

    /// One interval of a list, in which all may differ.
    package struct Interval: Hashable, Sendable {
        /// The length of the work; its unit determines the interval type.
        package var work: Extent
        /// The rest after it; the last interval also has a rest.
        package var rest: Rest
        /// 0.01 s per 500 m; the meaning of 0 is not documented.
        package var targetPaceCentisecondsPer500m: UInt32?

        package init(
            _ work: Extent, rest: Rest, targetPaceCentisecondsPer500m: UInt32? = nil
        ) {
            self.work = work
            self.rest = rest
            self.targetPaceCentisecondsPer500m = targetPaceCentisecondsPer500m
        }
    }

    /// The kinds of workout that can be programmed.
    package enum Plan: Hashable, Sendable {
        case justRow
        /// Nil: the monitor chooses the split length.
        case justRowWithSplits(Extent?)
        /// Calorie pieces need a split, because no workout type without splits exists.
        case single(Extent, split: Extent?)
        /// Repeats until the rower stops. For a fixed number use `.intervals`.
        case repeating(Extent, restSeconds: UInt16)
        /// One to fifty; the workout ends after the last.
        case intervals([Interval])
    }

    /// The structure of the workout.
    package var plan: Plan
    /// The target pace of a single piece or of each repeated interval. Variable intervals have one each; other
    /// plans have none.
    package var targetPaceCentisecondsPer500m: UInt32?

    package init(_ plan: Plan, targetPaceCentisecondsPer500m: UInt32? = nil) {
        self.plan = plan
        self.targetPaceCentisecondsPer500m = targetPaceCentisecondsPer500m
    }

    /// Returns the frames to send. Each must be acknowledged before the next; only the last one shows the
    /// workout.
    ///
    /// Each has at most 120 bytes; a frame contains whole intervals.
    ///
    /// - Throws: if a value exceeds the limits of the monitor, which would reject it without a reason.
    package func frames() throws(WorkoutProgramError) -> [Frame] {
        try commandFrames().map(Self.frame)
    }

    /// Returns the commands of each of `frames`, for the wrapper `.setConfiguration`.
    package func commandFrames() throws(WorkoutProgramError) -> [[ProprietaryCommand]] {
        try validate()
        var blocks = commandBlocks()
        blocks[blocks.count - 1].append(.screenState(.workout, .prepareToRowWorkout))
        return Self.pack(blocks)
    }

    /// Packs whole blocks into frames, in order, as many as fit.
    private static func pack(_ blocks: [[ProprietaryCommand]]) -> [[ProprietaryCommand]] {
        var frames: [[ProprietaryCommand]] = []
        var pending: [ProprietaryCommand] = []
        for block in blocks {
            if pending.isEmpty || frame(pending + block).encodedLength <= Frame.maximumLength {
                pending += block
            } else {
                frames.append(pending)
                pending = block
            }
        }
        return frames + [pending]
    }

    private static func frame(_ commands: [ProprietaryCommand]) -> Frame {
        Frame(.wrapped(.setConfiguration, commands))
    }
}

extension WorkoutProgram {
    /// Commands that must stay together: one block per piece, or per interval.
    private func commandBlocks() -> [[ProprietaryCommand]] {
        switch plan {
        case .justRow:
            [[.workoutType(.justRowWithoutSplits)]]
        case .justRowWithSplits(let split):
            [[.workoutType(.justRowWithSplits)] + (split.map { [$0.splitCommand] } ?? [])]
        case .single(let extent, let split):
            [
                [.workoutType(extent.singleType(hasSplits: split != nil)), extent.durationCommand]
                    + (split.map { [$0.splitCommand] } ?? [])
                    + closing(targetPaceCentisecondsPer500m)
            ]
        case .repeating(let extent, let restSeconds):
            [
                [
                    .workoutType(extent.repeatingType), extent.durationCommand,
                    .restDuration(seconds: restSeconds),
                ] + closing(targetPaceCentisecondsPer500m)
            ]
        case .intervals(let intervals):
            variableBlocks(intervals)
        }
    }

    private func variableBlocks(_ intervals: [Interval]) -> [[ProprietaryCommand]] {
        var blocks = intervals.enumerated().map { index, interval in
            [.workoutIntervalCount(UInt8(index))]
                + (index == 0 ? [.workoutType(.variableInterval)] : [])
                + [
                    .intervalType(interval.type), interval.work.durationCommand,
                    .restDuration(seconds: interval.restSeconds),
                ] + closing(interval.targetPaceCentisecondsPer500m)
        }
        if intervals.contains(where: { $0.rest == .undefined }) {
            // Without the zero split the monitor would apply its biathlon rules.
            blocks[blocks.count - 1] += [
                .workoutType(.variableIntervalUndefinedRest), .splitDuration(.distance, 0),
            ]
        }
        return blocks
    }

    private func closing(_ targetPace: UInt32?) -> [ProprietaryCommand] {
        (targetPace.map { [.targetPace(centisecondsPer500m: $0)] } ?? [])
            + [.configureWorkout(.enable)]
    }
}

extension WorkoutProgram {
    /// The values in 0x0031 of an armed workout.
    package struct Armed: Hashable, Sendable {
        /// The type in 0x0031.
        package var type: WorkoutType
        /// Length of the piece or of the first interval; nil for a just row.
        package var extent: Extent?

        /// Whether a status shows this workout: its type, length and unit.
        package func isShown(by status: GeneralStatus) -> Bool {
            guard status.workoutType == type else { return false }
            guard let (unit, amount) = extent?.wire else { return status.workoutDuration == 0 }
            return status.durationType == unit && status.workoutDuration == amount
        }
    }

    /// The values to expect in 0x0031, a packet or two after the acknowledgement.
    package var armed: Armed {
        switch plan {
        case .justRow: Armed(type: .justRowWithoutSplits)
        case .justRowWithSplits: Armed(type: .justRowWithSplits)
        case .single(let extent, let split):
            Armed(type: extent.singleType(hasSplits: split != nil), extent: extent)
        case .repeating(let extent, _): Armed(type: extent.repeatingType, extent: extent)
        case .intervals(let intervals):
            Armed(
                type: intervals.contains { $0.rest == .undefined }
                    ? .variableIntervalUndefinedRest : .variableInterval,
                extent: intervals.first?.work)
        }
    }
}

extension WorkoutProgram.Interval {
    fileprivate var type: IntervalType {
        switch (work, rest) {
        case (.centiseconds, .seconds): .time
        case (.centiseconds, .undefined): .timeUndefinedRest
        case (.meters, .seconds): .distance
        case (.meters, .undefined): .distanceUndefinedRest
        case (.calories, .seconds): .calories
        case (.calories, .undefined): .caloriesUndefinedRest
        }
    }

    fileprivate var restSeconds: UInt16 {
        switch rest {
        case .seconds(let seconds): seconds
        case .undefined: 0
        }
    }
}

extension WorkoutProgram.Extent {
    /// The number, and the duration type with its unit.
    package var wire: (type: DurationType, amount: UInt32) {
        switch self {
        case .meters(let amount): (.distance, amount)
        case .centiseconds(let amount): (.time, amount)
        case .calories(let amount): (.calories, amount)
        }
    }

    fileprivate var durationCommand: ProprietaryCommand {
        .workoutDuration(wire.type, wire.amount)
    }

    fileprivate var splitCommand: ProprietaryCommand {
        .splitDuration(wire.type, wire.amount)
    }

    fileprivate func singleType(hasSplits: Bool) -> WorkoutType {
        switch self {
        case .meters: hasSplits ? .fixedDistanceWithSplits : .fixedDistanceWithoutSplits
        case .centiseconds: hasSplits ? .fixedTimeWithSplits : .fixedTimeWithoutSplits
        case .calories: .fixedCaloriesWithSplits
        }
    }

    fileprivate var repeatingType: WorkoutType {
        switch self {
        case .meters: .fixedDistanceInterval
        case .centiseconds: .fixedTimeInterval
        case .calories: .fixedCalorieInterval
        }
    }
}
