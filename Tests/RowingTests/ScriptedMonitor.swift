import Rowing

@testable import PM5Codec

/// A scripted PM5 with its rower. It sends its notifications to a session machine.
///
/// Every stroke takes 2.5 s at 4 m/s, 0.7 s of it the drive. A status follows every 500 ms, the rate after
/// power-on.
struct ScriptedMonitor {
    var harness: MachineHarness
    let type: WorkoutType
    var duration: UInt32
    var durationType: DurationType
    /// False while the link or the gateway is lost.
    var isReceiving = true
    /// False while the gateway is not running.
    var isAlive = true
    /// Changes a value before it is sent; nil drops it.
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

    /// Whether the monitor's clock runs, and whether the rower rows.
    var isRunning = false
    var isMoving = false
    /// Time and distance of the interval that ended last.
    var lastInterval = (milliseconds: 0, decimeters: 0)
    private var now = 0

    init(
        _ type: WorkoutType, _ duration: UInt32 = 0, _ durationType: DurationType = .distance,
        harness: MachineHarness = MachineHarness()
    ) {
        self.type = type
        self.duration = duration
        self.durationType = durationType
        self.harness = harness
    }

    var strokes: Int { finishedStrokes + count }
    var workMilliseconds: Int { finishedMilliseconds + milliseconds }

    // MARK: - Sending

    mutating func send(_ notification: PM5Codec.Notification) {
        guard isReceiving, let sent = filter(notification) else { return }
        if carrier == .dedicated { return harness.send(sent) }
        harness.send(.multiplexed, sent.payload.notificationBytes(carrier: .multiplexed))
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

    /// Advances the time in steps of 100 ms, with a status every half second.
    mutating func pass(_ time: Int) {
        for _ in 0..<time / 100 {
            now += 100
            if isRunning { milliseconds += 100 }
            if isMoving { decimeters += 4 }
            harness.wait(100)
            if isAlive { harness.machine.tick(at: harness.instant, into: &harness.events) }
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
}
