import Rowing

@testable import PM5Codec

extension ScriptedMonitor {
    // MARK: - Actions of the rower

    /// Shows the workout, without a rower.
    mutating func arm() {
        (state, rowingState, strokeState) = (.waitToBegin, .inactive, .waitingForAcceleration)
        (milliseconds, decimeters, count, laps) = (0, 0, 0, 0)
        (finishedMeters, finishedMilliseconds, finishedStrokes) = (0, 0, 0)
        (isRunning, isMoving) = (false, false)
        pass(1000)
    }

    /// The state during the work of this workout.
    var working: WorkoutState {
        guard type.isInterval else { return .workoutRow }
        return durationType == .time ? .intervalWorkTime : .intervalWorkDistance
    }

    mutating func row(_ strokes: Int) {
        for _ in 0..<strokes {
            drive()
            pass(1800)
            sendStroke(recoveryMilliseconds: 1800)
        }
    }

    /// Rows a stroke up to the end of its drive.
    mutating func drive() {
        state = working
        if type.isInterval { intervalType = durationType == .time ? .time : .distance }
        (isRunning, isMoving) = (true, true)
        strokeState = .driving
        pass(700)
        count += 1
        rowingState = .active
        sendStroke(recoveryMilliseconds: count == 1 ? 0 : 1800)
        sendPower()
        sendCurve()
        strokeState = .recovery
    }

    /// Stops rowing; the clock of a programmed piece continues.
    mutating func stand(_ time: Int) {
        (isMoving, isRunning) = (false, !type.isJustRow)
        strokeState = .recovery
        pass(min(time, 6000))
        rowingState = .inactive
        strokeState = .waitingForMinimumSpeed
        pass(time - min(time, 6000))
    }

    mutating func sendSplit(restSeconds: Int = 0, restMeters: Int = 0) {
        laps += 1
        let (time, distance) = type.isInterval ? lastInterval : (milliseconds, decimeters)
        send(
            .splitData(
                SplitData(
                    elapsedCentiseconds: UInt32(milliseconds / 10),
                    distanceDecimeters: UInt32(decimeters), splitDeciseconds: UInt32(time / 100),
                    splitDistanceMeters: UInt32(distance / 10), restSeconds: UInt16(restSeconds),
                    restDistanceMeters: UInt16(restMeters), splitType: intervalType,
                    splitNumber: UInt8(laps))))
        send(
            .additionalSplitData(
                AdditionalSplitData(
                    averageStrokeRatePerMinute: 24, workHeartRateBeatsPerMinute: heartRate,
                    averagePaceDecisecondsPer500m: 1250, totalCalories: 10, powerWatts: 179,
                    averageDragFactor: 120, splitNumber: UInt8(laps), ergMachineType: machine)))
    }

    /// Ends the work of an interval.
    mutating func finishInterval() {
        lastInterval = (milliseconds, decimeters)
        finishedMeters += decimeters / 10
        finishedMilliseconds += milliseconds
        finishedStrokes += count
    }

    mutating func rest(seconds: Int, undefined: Bool = false) {
        finishInterval()
        (isRunning, isMoving, rowingState) = (false, false, .inactive)
        state = durationType == .time ? .intervalWorkTimeToRest : .intervalWorkDistanceToRest
        intervalType = undefined ? .undefinedRest : .rest
        laps += 1
        pass(200)
        state = .intervalRest
        for second in 0..<seconds {
            restMilliseconds = (seconds - second) * 1000
            restMeters = min(second, 9)
            pass(1000)
        }
        laps -= 1
    }

    /// Restarts all values of the interval, around the packets of the finished one.
    mutating func nextInterval(after restSeconds: Int = 0) {
        if restSeconds == 0 {
            finishInterval()
        } else {
            send(.strokeData(StrokeData(workPerStrokeDecijoules: 0)))
            send(.additionalStrokeData(AdditionalStrokeData()))
        }
        (milliseconds, decimeters, count, restMilliseconds) = (0, 0, 0, 0)
        intervalType = durationType == .time ? .time : .distance
        sendSplit(restSeconds: restSeconds, restMeters: restSeconds > 0 ? min(restSeconds, 9) : 0)
        state = working
    }

    /// Ends the piece at its goal or with the Menu key.
    ///
    /// The summary follows 1.5 s later unless `summary` is false.
    mutating func end(_ final: WorkoutState = .workoutEnd, summary: Bool = true, lap: Bool = true) {
        let wasResting = state == .intervalRest
        state = final
        (isRunning, isMoving) = (false, false)
        sendStatus()
        if type.isInterval, !wasResting { finishInterval() }
        if lap { sendSplit() }
        pass(1500)
        if summary { sendSummary() }
        if final == .workoutEnd { state = .workoutLogged }
        pass(1000)
    }

    mutating func sendSummary(recovery: UInt8 = 0) {
        let time = type.isInterval ? finishedMilliseconds : milliseconds
        let distance = type.isInterval ? finishedMeters * 10 : decimeters
        let logged = LogTimestamp(
            date: LogDate(year: 2025, month: 3, day: 16), time: LogTime(hour: 18, minute: 18))
        send(
            .workoutSummary(
                WorkoutSummary(
                    logged: logged, elapsedCentiseconds: UInt32(time / 10),
                    distanceDecimeters: UInt32(distance), averageStrokeRatePerMinute: 24,
                    averageDragFactor: 120, recoveryHeartRateBeatsPerMinute: recovery,
                    workoutType: type,
                    averagePaceDecisecondsPer500m: carrier == .multiplexed ? nil : 1250)))
        send(
            .additionalWorkoutSummary(
                AdditionalWorkoutSummary(
                    logged: logged, splitCount: UInt8(laps), totalCalories: 42,
                    averagePowerWatts: 178, averageCaloriesPerHour: 900)))
        guard carrier == .multiplexed else { return }
        send(
            .workoutSummary2(
                WorkoutSummary2(
                    logged: logged, averagePaceDecisecondsPer500m: 1250,
                    gameAndVerification: 0x10, ergMachineType: machine)))
    }

    // MARK: - What happens to the link

    mutating func loseLink(_ time: Int = 0) {
        isReceiving = false
        harness.linkCloses()
        pass(time)
    }

    mutating func regainLink() {
        isReceiving = true
        harness.linkOpens()
    }

    enum Loss: CaseIterable { case link, gateway }

    /// Runs `act` while the link or the gateway is lost.
    ///
    /// A lost gateway is killed: only the last checkpoint of its machine remains.
    mutating func away(_ loss: Loss, while act: (inout ScriptedMonitor) -> Void) {
        let checkpoint = harness.machine.checkpoint(at: harness.instant)?.encode()
        let lost = harness.now
        isReceiving = false
        if loss == .link { harness.linkCloses() } else { isAlive = false }
        act(&self)
        if loss == .gateway {
            let events = harness.events
            harness = MachineHarness(at: harness.now, connects: false, sessions: "R")
            harness.events = events
            if let read = checkpoint.flatMap(SessionCheckpoint.init(decoding:)) {
                harness.machine.resume(
                    from: read, awayFor: .milliseconds(harness.now - lost), at: harness.instant,
                    into: &harness.events)
            }
            isAlive = true
        }
        regainLink()
    }
}
