import PM5Codec

/// The erg as characteristics tell it. Changes `announcedBelt`, the counts of `piece` that values
/// carry, and of `control` what was told already.
extension SimulatedErg {
    var elapsedCentiseconds: UInt32 { UInt32((piece?.elapsedMilliseconds(at: now) ?? 0) / 10) }
    var distanceDecimeters: UInt32 { UInt32((piece?.meters(at: now) ?? 0) * 10) }
    private var isOld: Bool { identity.generation == .old }
    private var machine: ErgMachineType? { isOld ? nil : .modelD }

    // MARK: - Timed

    /// 0x0031, 0x0032, 0x0033 and, with newer firmware, 0x003E; and the belt once it is known.
    mutating func sendTimedStatus() {
        if let belt = profile.beltID, !announcedBelt {
            announcedBelt = send(HeartRateBelt(manufacturerID: 123, deviceType: 120, beltID: belt))
        }
        sendGeneralStatus()
        send(additionalStatus1())
        send(additionalStatus2())
        guard !isOld else { return }
        send(
            AdditionalStatus3(
                operationalState: operationalState,
                screenNumber: UInt16(1 + power.keysPressed % 2)))
    }

    var operationalState: OperationalState {
        piece?.isOver == false ? .workout : .ready
    }

    mutating func sendGeneralStatus() {
        var status = generalStatus()
        if !control.lag.isEmpty {
            (status.workoutType, status.workoutDuration, status.durationType) =
                control.lag.removeFirst()
        }
        send(status)
    }

    func generalStatus() -> GeneralStatus {
        let interval = piece?.currentInterval ?? workout.intervals[0]
        let isResting = if case .rest = piece?.phase { true } else { false }
        // Single pieces say distance whatever they are (captures of 2016 and 2026).
        let type: IntervalType =
            !workout.hasIntervals
            ? .distance
            : isResting ? (interval.rest == .undefined ? .undefinedRest : .rest) : interval.type
        return GeneralStatus(
            elapsedCentiseconds: elapsedCentiseconds, distanceDecimeters: distanceDecimeters,
            workoutType: workout.type, intervalType: type, workoutState: state,
            rowingState: rowingState, strokeState: strokeState,
            totalWorkDistanceMeters: workout.hasIntervals ? UInt32(piece?.finished.meters ?? 0) : 0,
            workoutDuration: UInt32(interval.goal.count), durationType: interval.goal.durationType,
            dragFactor: dragFactor)
    }

    private var rowingState: RowingState {
        guard let piece, piece.isWorking, piece.pause == nil else { return .inactive }
        return piece.strokeCount > 0 ? .active : .inactive
    }

    private var strokeState: StrokeState {
        guard let piece, let stroke = piece.stroke else {
            // An idle monitor says 0 (capture of 2016) or 1 (captures of 2026).
            return isOld && piece == nil ? .waitingForMinimumSpeed : .waitingForAcceleration
        }
        if now >= stroke.catchMilliseconds { return .driving }
        return now < stroke.startMilliseconds + 60 ? .dwellingAfterDrive : .recovery
    }

    /// 0 until the recovery of the first strokes has shown how fast the wheel slows down.
    var dragFactor: UInt8 {
        guard let piece, piece.strokeCount > 1 || piece.isOver else { return 0 }
        return UInt8(clamping: profile.dragFactor + piece.strokeCount / 3 % 3 - 1)
    }

    private func additionalStatus1() -> AdditionalStatus1 {
        let averages = piece?.averages ?? Piece.Averages()
        var restCentiseconds = 0
        if case .rest(let since, let seconds) = piece?.phase {
            let passed = (now - since) / 10
            restCentiseconds = seconds.map { max($0 * 100 - passed, 0) } ?? passed
        }
        return AdditionalStatus1(
            elapsedCentiseconds: elapsedCentiseconds,
            speedMillimetersPerSecond: UInt16(averages.currentSpeed * 1000),
            strokeRatePerMinute: UInt8(averages.strokeRate.rounded()),
            heartRateBeatsPerMinute: heartRate ?? .max,
            currentPaceCentisecondsPer500m: RowingFormulas.pace(speed: averages.currentSpeed),
            averagePaceCentisecondsPer500m: averages.interval?.paceCentisecondsPer500m ?? 0,
            restDistanceMeters: UInt16(piece?.coastedMeters(at: now) ?? 0),
            restCentiseconds: UInt32(restCentiseconds),
            averagePowerWatts: averages.interval?.powerWatts ?? 0, ergMachineType: machine)
    }

    private func additionalStatus2() -> AdditionalStatus2 {
        let averages = piece?.averages ?? Piece.Averages()
        let split = averages.split
        let timed = piece?.currentInterval.isTimed == true
        return AdditionalStatus2(
            elapsedCentiseconds: elapsedCentiseconds,
            intervalCount: UInt8(clamping: piece?.lapCount ?? 0),
            averagePowerWatts: averages.interval?.powerWatts ?? 0,
            totalCalories: UInt16(clamping: averages.interval?.calories ?? 0),
            splitAveragePaceCentisecondsPer500m: split?.paceCentisecondsPer500m ?? 0,
            splitAveragePowerWatts: split?.powerWatts ?? 0,
            splitAverageCalories: UInt16(clamping: split?.calories ?? 0),
            lastSplitCentiseconds: UInt32((piece?.lastLap?.exactMilliseconds ?? 0) / 10),
            lastSplitDistanceMeters: timed ? UInt32(piece?.lastLap?.span.meters ?? 0) : 0)
    }

    // MARK: - Strokes

    func pendingStroke(_ stroke: Stroke) -> PendingStroke {
        let isFirst = stroke.number == 1
        let work = isFirst ? UInt16.max : UInt16(clamping: Int(stroke.workJoules * 10))
        let projected = projection()
        return PendingStroke(
            data: StrokeData(
                elapsedCentiseconds: elapsedCentiseconds, distanceDecimeters: distanceDecimeters,
                driveLengthCentimeters: UInt8(clamping: Int(stroke.driveLengthMeters * 100)),
                driveCentiseconds: UInt8(clamping: stroke.driveMilliseconds / 10),
                recoveryCentiseconds: UInt16(stroke.recoveryMilliseconds / 10),
                strokeDistanceCentimeters: UInt16(clamping: Int(stroke.meters * 100)),
                peakDriveForceTenthsOfPound: UInt16(stroke.peakForce * 10),
                averageDriveForceTenthsOfPound: UInt16(stroke.averageForce * 10),
                workPerStrokeDecijoules: work, strokeCount: UInt16(stroke.number)),
            additional: AdditionalStrokeData(
                elapsedCentiseconds: elapsedCentiseconds,
                strokePowerWatts: UInt16(stroke.watts),
                strokeCaloriesPerHour: UInt16(RowingFormulas.calorieRate(power: stroke.watts)),
                strokeCount: UInt16(stroke.number), projectedWorkSeconds: projected.seconds,
                projectedWorkDistanceMeters: projected.meters, workPerStrokeDecijoules: work),
            ratePerMinute: isFirst ? 0 : stroke.ratePerMinute, heartRate: heartRate, isSent: false)
    }

    /// Time for distance and calorie pieces, distance for timed ones, at the average so far.
    private func projection() -> (seconds: UInt32, meters: UInt32) {
        guard let piece else { return (0, 0) }
        let speed = piece.averages.interval?.speed ?? 0
        let milliseconds = piece.elapsedMilliseconds(at: now)
        let power = RowingFormulas.power(speed: speed)
        let goal = Double(piece.currentInterval.goal.count)
        switch piece.currentInterval.goal.durationType {
        case .distance, .unrecognized: return (speed > 0 ? UInt32(goal / speed) : 0, 0)
        case .time: return (0, UInt32(speed * goal / 100))
        case .calories:
            let rate = RowingFormulas.calorieRate(power: power)
            return (milliseconds > 0 ? UInt32(goal * 3600 / rate) : 0, 0)
        case .wattMinutes: return (power > 0 ? UInt32(goal * 60 / power) : 0, 0)
        }
    }

    /// In pieces of nine words; the curve of a very long drive is cut at fifteen pieces.
    mutating func sendForceCurve(_ stroke: Stroke) {
        guard !isOld else { return }
        let samples = stroke.forces.prefix(9 * 15).map { Int16($0) }
        let count = (samples.count + 8) / 9
        for sequence in 0..<count {
            let words = samples[(sequence * 9)..<min(sequence * 9 + 9, samples.count)]
            send(
                ForceCurvePiece(
                    pieceCount: UInt8(count), sequence: UInt8(sequence),
                    samples: ForceSamples(words)))
        }
    }

    /// Leaving a rest also sends a stroke of zeroes (captures of openrowingmonitor's author).
    mutating func sendZeroedStroke() {
        send(StrokeData(workPerStrokeDecijoules: 0))
        send(AdditionalStrokeData(workPerStrokeDecijoules: 0))
    }

    // MARK: - Laps

    /// 0x0037 and 0x0038 of a finished split or interval, and its line of truth.
    mutating func sendLap(_ result: LapResult, rest: (seconds: Int, meters: Int)) {
        guard var piece else { return }
        piece.lapCount += 1
        piece.lastLap = result
        self.piece = piece
        let data = SplitData(
            elapsedCentiseconds: elapsedCentiseconds, distanceDecimeters: distanceDecimeters,
            splitDeciseconds: UInt32(result.span.deciseconds),
            splitDistanceMeters: UInt32(result.span.meters), restSeconds: UInt16(rest.seconds),
            restDistanceMeters: UInt16(rest.meters), splitType: result.type,
            splitNumber: UInt8(clamping: piece.lapCount))
        let additional = AdditionalSplitData(
            elapsedCentiseconds: elapsedCentiseconds,
            averageStrokeRatePerMinute: result.strokeRate,
            workHeartRateBeatsPerMinute: result.heartRate ?? 0,
            restHeartRateBeatsPerMinute: rest.seconds > 0 ? heartRate ?? 0 : 0,
            averagePaceDecisecondsPer500m: result.paceDecisecondsPer500m,
            totalCalories: UInt16(clamping: result.calories),
            averageCaloriesPerHour: result.caloriesPerHour,
            speedMillimetersPerSecond: result.speedMillimetersPerSecond,
            powerWatts: result.powerWatts, averageDragFactor: UInt8(profile.dragFactor),
            splitNumber: UInt8(clamping: piece.lapCount), ergMachineType: machine)
        send(data)
        send(additional)
        record(.init(.split, splitFields(data, additional)))
    }

    // MARK: - Summary

    func summary(_ ended: EndedPiece, recovery: UInt8?) -> WorkoutSummary {
        let total = ended.total
        if ended.isSpoiled {
            return WorkoutSummary(logged: ended.logged, workoutType: .justRowWithSplits)
        }
        return WorkoutSummary(
            logged: ended.logged, elapsedCentiseconds: UInt32(total.span.deciseconds * 10),
            distanceDecimeters: UInt32(total.exactMeters * 10),
            averageStrokeRatePerMinute: total.strokeRate,
            endingHeartRateBeatsPerMinute: ended.endingHeartRate ?? 0,
            averageHeartRateBeatsPerMinute: ended.piece.heart.averageHeartRate ?? 0,
            minimumHeartRateBeatsPerMinute: ended.piece.heart.minimumHeartRate ?? 0,
            maximumHeartRateBeatsPerMinute: ended.piece.heart.maximumHeartRate ?? 0,
            averageDragFactor: isOld ? 0 : UInt8(profile.dragFactor),
            recoveryHeartRateBeatsPerMinute: recovery ?? 0, workoutType: ended.piece.workout.type,
            averagePaceDecisecondsPer500m: total.paceDecisecondsPer500m)
    }

    func additionalSummary(_ ended: EndedPiece) -> AdditionalWorkoutSummary {
        let piece = ended.piece
        let goal = piece.workout.intervals[0].goal
        let length = piece.workout.hasIntervals ? nil : piece.workout.splitLength
        let size = (length ?? goal.count) / (goal.durationType == .time ? 100 : 1)
        var rest = 0
        if case .seconds(let seconds) = piece.workout.intervals[0].rest { rest = seconds }
        return AdditionalWorkoutSummary(
            logged: ended.logged,
            splitType: ended.splitType,
            splitSize: UInt16(clamping: size), splitCount: UInt8(clamping: piece.lapCount),
            totalCalories: UInt16(clamping: ended.total.calories),
            averagePowerWatts: ended.total.powerWatts,
            totalRestDistanceMeters: UInt32(piece.restMeters),
            intervalRestSeconds: UInt16(rest),
            averageCaloriesPerHour: ended.total.caloriesPerHour)
    }

    /// Exists only inside 0x0080.
    mutating func sendSummary2(_ ended: EndedPiece) {
        send(
            WorkoutSummary2(
                logged: ended.logged,
                averagePaceDecisecondsPer500m: ended.total.paceDecisecondsPer500m,
                gameAndVerification: 0x10))
    }

    func loggedWorkout(_ ended: EndedPiece) -> LoggedWorkout {
        var hash = SeededGenerator(
            seed: UInt64(ended.logged.date.rawValue) << 32 ^ UInt64(ended.piece.number)
                ^ (UInt64(identity.serial) ?? 0))
        return LoggedWorkout(
            workoutHash: hash.next(), logAddress: 0x0108_0000 + UInt32(ended.piece.number) * 256,
            logSizeBytes: UInt16(clamping: 32 + 32 * ended.piece.lapCount), ergModelType: .modelDOrE
        )
    }
}
