import PM5Codec

/// Builds the payloads of the characteristics. Changes `announcedBelt`, the counts of `piece` that values
/// contain, and the delayed values in `control`.
extension SimulatedErg {
    var elapsedCentiseconds: UInt32 { UInt32((piece?.elapsedMilliseconds(at: now) ?? 0) / 10) }
    var distanceDecimeters: UInt32 { UInt32((piece?.meters(at: now) ?? 0) * 10) }
    private var isOld: Bool { identity.generation == .old }
    private var machine: ErgMachineType? { isOld ? nil : identity.machine.type }

    // MARK: - Timed

    /// 0x0031, 0x0032, 0x0033 and, with newer firmware, 0x003E; and the belt once it is known.
    mutating func sendTimedStatus() {
        if let belt = beltID, !announcedBelt {
            announcedBelt = send(
                HeartRateBelt.with {
                    $0.manufacturerID = 123
                    $0.deviceType = 120
                    $0.beltID = belt
                })
        }
        sendGeneralStatus()
        send(additionalStatus1())
        send(additionalStatus2())
        guard !isOld else { return }
        send(
            AdditionalStatus3.with {
                $0.operationalState = operationalState
                $0.screenNumber = UInt16(1 + power.keysPressed % 2)
            })
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
        // Single pieces always report distance (captures of 2016 and 2026).
        let type: IntervalType =
            !workout.hasIntervals
            ? .distance
            : isResting ? (interval.rest == .undefined ? .undefinedRest : .rest) : interval.type
        return GeneralStatus.with {
            $0.elapsedCentiseconds = elapsedCentiseconds
            $0.distanceDecimeters = distanceDecimeters
            $0.workoutType = workout.type
            $0.intervalType = type
            $0.workoutState = state
            $0.rowingState = rowingState
            $0.strokeState = strokeState
            if workout.hasIntervals {
                $0.totalWorkDistanceMeters = UInt32(piece?.finished.meters ?? 0)
            }
            $0.workoutDuration = UInt32(interval.goal.count)
            $0.durationType = interval.goal.durationType
            $0.dragFactor = dragFactor
        }
    }

    private var rowingState: RowingState {
        guard let piece, piece.isWorking, piece.pause == nil else { return .inactive }
        return piece.strokeCount > 0 ? .active : .inactive
    }

    private var strokeState: StrokeState {
        guard let piece, let stroke = piece.stroke else {
            // An idle monitor reports 0 (capture of 2016) or 1 (captures of 2026).
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
        return AdditionalStatus1.with {
            $0.elapsedCentiseconds = elapsedCentiseconds
            $0.speedMillimetersPerSecond = UInt16(averages.currentSpeed * 1000)
            $0.strokeRatePerMinute = UInt8(averages.strokeRate.rounded())
            $0.heartRateBeatsPerMinute = heartRate ?? .max
            $0.currentPaceCentisecondsPer500m = RowingFormulas.pace(speed: averages.currentSpeed)
            $0.averagePaceCentisecondsPer500m = averages.interval?.paceCentisecondsPer500m ?? 0
            $0.restDistanceMeters = UInt16(piece?.coastedMeters(at: now) ?? 0)
            $0.restCentiseconds = UInt32(restCentiseconds)
            $0.averagePowerWatts = averages.interval?.powerWatts ?? 0
            $0.ergMachineType = machine
        }
    }

    private func additionalStatus2() -> AdditionalStatus2 {
        let averages = piece?.averages ?? Piece.Averages()
        let split = averages.split
        let timed = piece?.currentInterval.isTimed == true
        return AdditionalStatus2.with {
            $0.elapsedCentiseconds = elapsedCentiseconds
            $0.intervalCount = UInt8(clamping: piece?.lapCount ?? 0)
            $0.averagePowerWatts = averages.interval?.powerWatts ?? 0
            $0.totalCalories = UInt16(clamping: averages.interval?.calories ?? 0)
            $0.splitAveragePaceCentisecondsPer500m = split?.paceCentisecondsPer500m ?? 0
            $0.splitAveragePowerWatts = split?.powerWatts ?? 0
            $0.splitAverageCalories = UInt16(clamping: split?.calories ?? 0)
            $0.lastSplitCentiseconds = UInt32((piece?.lastLap?.exactMilliseconds ?? 0) / 10)
            $0.lastSplitDistanceMeters = timed ? UInt32(piece?.lastLap?.span.meters ?? 0) : 0
        }
    }

    // MARK: - Strokes

    func pendingStroke(_ stroke: Stroke) -> PendingStroke {
        let isFirst = stroke.number == 1
        let work = isFirst ? UInt16.max : UInt16(clamping: Int(stroke.workJoules * 10))
        let projected = projection()
        return PendingStroke(
            data: StrokeData.with {
                $0.elapsedCentiseconds = elapsedCentiseconds
                $0.distanceDecimeters = distanceDecimeters
                $0.driveLengthCentimeters = UInt8(clamping: Int(stroke.driveLengthMeters * 100))
                $0.driveCentiseconds = UInt8(clamping: stroke.driveMilliseconds / 10)
                $0.recoveryCentiseconds = UInt16(stroke.recoveryMilliseconds / 10)
                $0.strokeDistanceCentimeters = UInt16(clamping: Int(stroke.meters * 100))
                $0.peakDriveForceTenthsOfPound = UInt16(stroke.peakForce * 10)
                $0.averageDriveForceTenthsOfPound = UInt16(stroke.averageForce * 10)
                $0.workPerStrokeDecijoules = work
                $0.strokeCount = UInt16(stroke.number)
            },
            additional: AdditionalStrokeData.with {
                $0.elapsedCentiseconds = elapsedCentiseconds
                $0.strokePowerWatts = UInt16(stroke.watts)
                $0.strokeCaloriesPerHour = UInt16(RowingFormulas.calorieRate(power: stroke.watts))
                $0.strokeCount = UInt16(stroke.number)
                $0.projectedWorkSeconds = projected.seconds
                $0.projectedWorkDistanceMeters = projected.meters
                $0.workPerStrokeDecijoules = work
            },
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
        send(StrokeData.with { $0.workPerStrokeDecijoules = 0 })
        send(AdditionalStrokeData.with { $0.workPerStrokeDecijoules = 0 })
    }

    // MARK: - Laps

    /// 0x0037 and 0x0038 of a finished split or interval, and its line of truth.
    mutating func sendLap(_ result: LapResult, rest: (seconds: Int, meters: Int)) {
        guard var piece else { return }
        piece.lapCount += 1
        piece.lastLap = result
        self.piece = piece
        let data = SplitData.with {
            $0.elapsedCentiseconds = elapsedCentiseconds
            $0.distanceDecimeters = distanceDecimeters
            $0.splitDeciseconds = UInt32(result.span.deciseconds)
            $0.splitDistanceMeters = UInt32(result.span.meters)
            $0.restSeconds = UInt16(rest.seconds)
            $0.restDistanceMeters = UInt16(rest.meters)
            $0.splitType = result.type
            $0.splitNumber = UInt8(clamping: piece.lapCount)
        }
        let additional = AdditionalSplitData.with {
            $0.elapsedCentiseconds = elapsedCentiseconds
            $0.averageStrokeRatePerMinute = result.strokeRate
            $0.workHeartRateBeatsPerMinute = result.heartRate ?? 0
            $0.restHeartRateBeatsPerMinute = rest.seconds > 0 ? heartRate ?? 0 : 0
            $0.averagePaceDecisecondsPer500m = result.paceDecisecondsPer500m
            $0.totalCalories = UInt16(clamping: result.calories)
            $0.averageCaloriesPerHour = result.caloriesPerHour
            $0.speedMillimetersPerSecond = result.speedMillimetersPerSecond
            $0.powerWatts = result.powerWatts
            $0.averageDragFactor = UInt8(profile.dragFactor)
            $0.splitNumber = UInt8(clamping: piece.lapCount)
            $0.ergMachineType = machine
        }
        send(data)
        send(additional)
        record(.init(.split, splitFields(data, additional)))
    }

    // MARK: - Summary

    func summary(_ ended: EndedPiece, recovery: UInt8?) -> WorkoutSummary {
        let total = ended.total
        if ended.isSpoiled {
            return WorkoutSummary.with {
                $0.logged = ended.logged
                $0.workoutType = .justRowWithSplits
            }
        }
        return WorkoutSummary.with {
            $0.logged = ended.logged
            $0.elapsedCentiseconds = UInt32(total.span.deciseconds * 10)
            $0.distanceDecimeters = UInt32(total.exactMeters * 10)
            $0.averageStrokeRatePerMinute = total.strokeRate
            $0.endingHeartRateBeatsPerMinute = ended.endingHeartRate ?? 0
            $0.averageHeartRateBeatsPerMinute = ended.piece.heart.averageHeartRate ?? 0
            $0.minimumHeartRateBeatsPerMinute = ended.piece.heart.minimumHeartRate ?? 0
            $0.maximumHeartRateBeatsPerMinute = ended.piece.heart.maximumHeartRate ?? 0
            $0.averageDragFactor = isOld ? 0 : UInt8(profile.dragFactor)
            $0.recoveryHeartRateBeatsPerMinute = recovery ?? 0
            $0.workoutType = ended.piece.workout.type
            $0.averagePaceDecisecondsPer500m = total.paceDecisecondsPer500m
        }
    }

    func additionalSummary(_ ended: EndedPiece) -> AdditionalWorkoutSummary {
        let piece = ended.piece
        let goal = piece.workout.intervals[0].goal
        let length = piece.workout.hasIntervals ? nil : piece.workout.splitLength
        let size = (length ?? goal.count) / (goal.durationType == .time ? 100 : 1)
        var rest = 0
        if case .seconds(let seconds) = piece.workout.intervals[0].rest { rest = seconds }
        return AdditionalWorkoutSummary.with {
            $0.logged = ended.logged
            $0.splitType = ended.splitType
            $0.splitSize = UInt16(clamping: size)
            $0.splitCount = UInt8(clamping: piece.lapCount)
            $0.totalCalories = UInt16(clamping: ended.total.calories)
            $0.averagePowerWatts = ended.total.powerWatts
            $0.totalRestDistanceMeters = UInt32(piece.restMeters)
            $0.intervalRestSeconds = UInt16(rest)
            $0.averageCaloriesPerHour = ended.total.caloriesPerHour
        }
    }

    /// Exists only inside 0x0080.
    mutating func sendSummary2(_ ended: EndedPiece) {
        send(
            WorkoutSummary2.with {
                $0.logged = ended.logged
                $0.averagePaceDecisecondsPer500m = ended.total.paceDecisecondsPer500m
                $0.gameAndVerification = 0x10
                $0.ergMachineType = identity.machine.type
            })
    }

    func loggedWorkout(_ ended: EndedPiece) -> LoggedWorkout {
        var hash = SeededGenerator(
            seed: UInt64(ended.logged.date.rawValue) << 32 ^ UInt64(ended.piece.number)
                ^ (UInt64(identity.serial) ?? 0))
        return LoggedWorkout.with {
            $0.workoutHash = hash.next()
            $0.logAddress = 0x0108_0000 + UInt32(ended.piece.number) * 256
            $0.logSizeBytes = UInt16(clamping: 32 + 32 * ended.piece.lapCount)
            $0.ergModelType = .modelDOrE
        }
    }
}
