import PM5Codec
import Rowing

/// A PM5 and its rower, told step by step what to do; its notifications go into a fold.
///
/// Every stroke is the same: 2.5 s at 4 m/s, 0.7 s of it the drive. Status packets come every
/// 500 ms as on a monitor at its power-on rate.
struct ScriptedMonitor {
    var fold: Fold
    let type: WorkoutType
    var duration: UInt32
    var durationType: DurationType
    /// Cleared while nobody listens: the link or the gateway is down.
    var isHeard = true
    /// Cleared while the gateway is dead.
    var isAlive = true
    /// Takes away or changes what is sent; nil sends nothing.
    var filter: (PM5Codec.Notification) -> PM5Codec.Notification? = { $0 }

    var state = WorkoutState.waitToBegin
    var intervalType = IntervalType.distance
    var rowingState = RowingState.inactive
    var strokeState = StrokeState.waitingForAcceleration
    var heartRate: UInt8 = 140
    var machine = ErgMachineType.modelD
    var carrier = Carrier.dedicated

    /// Of this interval: milliseconds, decimetres and strokes.
    var milliseconds = 0
    var decimeters = 0
    var count = 0
    /// Of the finished intervals: metres, milliseconds, strokes.
    var finishedMeters = 0
    var finishedMilliseconds = 0
    var finishedStrokes = 0
    var laps = 0
    var restMilliseconds = 0
    var restMeters = 0

    private var isRunning = false
    private var isMoving = false
    private var now = 0

    init(
        _ type: WorkoutType, _ duration: UInt32 = 0, _ durationType: DurationType = .distance,
        fold: Fold = Fold()
    ) {
        self.type = type
        self.duration = duration
        self.durationType = durationType
        self.fold = fold
    }

    var strokes: Int { finishedStrokes + count }
    var workMilliseconds: Int { finishedMilliseconds + milliseconds }

    // MARK: - Sending

    mutating func send(_ notification: PM5Codec.Notification) {
        guard isHeard, let sent = filter(notification) else { return }
        if carrier == .dedicated { return fold.send(sent) }
        fold.send(.multiplexed, sent.payload.notificationBytes(carrier: .multiplexed))
    }

    mutating func sendStatus() {
        send(
            .generalStatus(
                GeneralStatus(
                    elapsedCentiseconds: UInt32(milliseconds / 10),
                    distanceDecimeters: UInt32(decimeters), workoutType: type,
                    intervalType: intervalType, workoutState: state, rowingState: rowingState,
                    strokeState: strokeState, totalWorkDistanceMeters: UInt32(finishedMeters),
                    workoutDuration: duration, durationType: durationType,
                    dragFactor: count > 1 ? 120 : 0)))
        send(
            .additionalStatus1(
                AdditionalStatus1(
                    elapsedCentiseconds: UInt32(milliseconds / 10),
                    speedMillimetersPerSecond: isMoving ? 4000 : 0,
                    strokeRatePerMinute: count > 0 ? 24 : 0, heartRateBeatsPerMinute: heartRate,
                    currentPaceCentisecondsPer500m: count > 0 ? 12500 : 0,
                    averagePaceCentisecondsPer500m: count > 0 ? 12500 : 0,
                    restDistanceMeters: UInt16(restMeters),
                    restCentiseconds: UInt32(restMilliseconds / 10), averagePowerWatts: 179,
                    ergMachineType: machine)))
        send(
            .additionalStatus2(
                AdditionalStatus2(
                    elapsedCentiseconds: UInt32(milliseconds / 10), intervalCount: UInt8(laps),
                    averagePowerWatts: count > 0 ? 179 : 0, totalCalories: UInt16(count),
                    splitAveragePaceCentisecondsPer500m: 12500, splitAveragePowerWatts: 179)))
    }

    /// Lets time pass in steps of 100 ms, a status at every half second.
    mutating func pass(_ time: Int) {
        for _ in 0..<time / 100 {
            now += 100
            if isRunning { milliseconds += 100 }
            if isMoving { decimeters += 4 }
            fold.wait(100)
            if isAlive { fold.machine.tick(at: fold.instant, into: &fold.events) }
            if now % 500 == 0 { sendStatus() }
        }
    }

    mutating func sendStroke(recoveryMilliseconds: Int) {
        send(
            .strokeData(
                StrokeData(
                    elapsedCentiseconds: UInt32(milliseconds / 10),
                    distanceDecimeters: UInt32(decimeters), driveLengthCentimeters: 135,
                    driveCentiseconds: UInt8(70),
                    recoveryCentiseconds: UInt16(recoveryMilliseconds / 10),
                    strokeDistanceCentimeters: 1000,
                    peakDriveForceTenthsOfPound: UInt16(2000 + strokes % 100),
                    averageDriveForceTenthsOfPound: 1200,
                    workPerStrokeDecijoules: count == 1 ? .max : 5000,
                    strokeCount: UInt16(count))))
    }

    mutating func sendPower() {
        send(
            .additionalStrokeData(
                AdditionalStrokeData(
                    elapsedCentiseconds: UInt32(milliseconds / 10), strokePowerWatts: 180,
                    strokeCaloriesPerHour: 919, strokeCount: UInt16(count),
                    workPerStrokeDecijoules: carrier == .multiplexed ? 5000 : nil)))
    }

    mutating func sendCurve() {
        for sequence in 0..<5 {
            let first = Int16(sequence * 9)
            send(
                .forceCurvePiece(
                    ForceCurvePiece(
                        pieceCount: 5, sequence: UInt8(sequence),
                        samples: ForceSamples(first..<first + 9))))
        }
    }

    // MARK: - What the rower does

    /// The workout is on the screen and nobody rows.
    mutating func arm() {
        (state, rowingState, strokeState) = (.waitToBegin, .inactive, .waitingForAcceleration)
        (milliseconds, decimeters, count, laps) = (0, 0, 0, 0)
        (finishedMeters, finishedMilliseconds, finishedStrokes) = (0, 0, 0)
        (isRunning, isMoving) = (false, false)
        pass(1000)
    }

    /// The state in which this workout is rowed.
    var working: WorkoutState {
        guard type.isInterval else { return .workoutRow }
        return durationType == .time ? .intervalWorkTime : .intervalWorkDistance
    }

    mutating func row(_ strokes: Int) {
        state = working
        if type.isInterval { intervalType = durationType == .time ? .time : .distance }
        (isRunning, isMoving) = (true, true)
        for _ in 0..<strokes {
            strokeState = .driving
            pass(700)
            count += 1
            rowingState = .active
            sendStroke(recoveryMilliseconds: count == 1 ? 0 : 1800)
            sendPower()
            sendCurve()
            strokeState = .recovery
            pass(1800)
            sendStroke(recoveryMilliseconds: 1800)
        }
    }

    /// The handle is put down; the clock of a programmed piece goes on.
    mutating func stand(_ time: Int) {
        (isMoving, isRunning) = (false, !type.isJustRow)
        strokeState = .recovery
        pass(min(time, 6000))
        rowingState = .inactive
        strokeState = .waitingForMinimumSpeed
        pass(time - min(time, 6000))
    }

    mutating func sendLap(restSeconds: Int = 0, restMeters: Int = 0) {
        laps += 1
        let (time, way) = type.isInterval ? lastInterval : (milliseconds, decimeters)
        send(
            .splitData(
                SplitData(
                    elapsedCentiseconds: UInt32(milliseconds / 10),
                    distanceDecimeters: UInt32(decimeters), splitDeciseconds: UInt32(time / 100),
                    splitDistanceMeters: UInt32(way / 10), restSeconds: UInt16(restSeconds),
                    restDistanceMeters: UInt16(restMeters), splitType: intervalType,
                    splitNumber: UInt8(laps))))
        send(
            .additionalSplitData(
                AdditionalSplitData(
                    averageStrokeRatePerMinute: 24, workHeartRateBeatsPerMinute: heartRate,
                    averagePaceDecisecondsPer500m: 1250, totalCalories: 10, powerWatts: 179,
                    averageDragFactor: 120, splitNumber: UInt8(laps), ergMachineType: machine)))
    }

    private var lastInterval = (milliseconds: 0, decimeters: 0)

    /// The work of an interval is done; the monitor's clock stands still or goes on as it likes.
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

    /// Everything of the interval restarts; the packets of the finished one come around it.
    mutating func nextInterval(after restSeconds: Int = 0) {
        if restSeconds == 0 {
            finishInterval()
        } else {
            send(.strokeData(StrokeData(workPerStrokeDecijoules: 0)))
            send(.additionalStrokeData(AdditionalStrokeData()))
        }
        (milliseconds, decimeters, count, restMilliseconds) = (0, 0, 0, 0)
        intervalType = durationType == .time ? .time : .distance
        sendLap(restSeconds: restSeconds, restMeters: restSeconds > 0 ? min(restSeconds, 9) : 0)
        state = working
    }

    /// The goal is reached, or Menu was pressed.
    ///
    /// The summary comes 1.5 s later unless `summary` is false.
    mutating func end(_ final: WorkoutState = .workoutEnd, summary: Bool = true, lap: Bool = true) {
        let wasResting = state == .intervalRest
        state = final
        (isRunning, isMoving) = (false, false)
        sendStatus()
        if type.isInterval, !wasResting { finishInterval() }
        if lap { sendLap() }
        pass(1500)
        if summary { sendSummary() }
        if final == .workoutEnd { state = .workoutLogged }
        pass(1000)
    }

    mutating func sendSummary(recovery: UInt8 = 0) {
        let time = type.isInterval ? finishedMilliseconds : milliseconds
        let way = type.isInterval ? finishedMeters * 10 : decimeters
        let logged = LogTimestamp(
            date: LogDate(year: 2025, month: 3, day: 16), time: LogTime(hour: 18, minute: 18))
        send(
            .workoutSummary(
                WorkoutSummary(
                    logged: logged, elapsedCentiseconds: UInt32(time / 10),
                    distanceDecimeters: UInt32(way), averageStrokeRatePerMinute: 24,
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
        isHeard = false
        fold.linkCloses()
        pass(time)
    }

    mutating func regainLink() {
        isHeard = true
        fold.linkOpens()
    }

    enum Loss: CaseIterable { case link, gateway }

    /// Lets `act` happen while nobody listens.
    ///
    /// A lost gateway is killed: what its machine knew is gone, except its last checkpoint.
    mutating func away(_ loss: Loss, while act: (inout ScriptedMonitor) -> Void) {
        let checkpoint = fold.machine.checkpoint(at: fold.instant)?.encode()
        let lost = fold.now
        isHeard = false
        if loss == .link { fold.linkCloses() } else { isAlive = false }
        act(&self)
        if loss == .gateway {
            let events = fold.events
            fold = Fold(at: fold.now, connects: false, sessions: "R")
            fold.events = events
            if let read = checkpoint.flatMap(SessionCheckpoint.init(decoding:)) {
                fold.machine.resume(
                    from: read, awayFor: .milliseconds(fold.now - lost), at: fold.instant,
                    into: &fold.events)
            }
            isAlive = true
        }
        regainLink()
    }
}
