import PM5Codec
import Timeline

/// A completed stroke, from 0x0035 (both packets) and 0x0036.
package struct Stroke: PerformanceValues, Equatable, Sendable {
    /// The session of the stroke.
    package var session: SessionID
    /// When it was complete, or the wait for its packets ended: up to 6 s after the drive.
    package var at: BootInstant
    /// 1, 2, 3, ... over the whole session; the monitor's own count restarts at each interval.
    package var number: Int
    /// Work time of the session when the stroke was completed, over all intervals.
    package var elapsed: Duration
    /// As `elapsed`.
    package var distance: Meters
    /// Strokes per minute in the last status; nil before the first.
    package var strokeRate: Int?
    /// Of its drive; nil if 0x0036 was lost.
    package var powerWatts: Int?
    /// In the last status; nil before the first counted stroke.
    package var pace: Pace?
    /// Beats per minute in the last status; nil without a belt.
    package var heartRate: Int?
    /// The path of the handle, at most 2.55 m; nil if 0x0035 was lost.
    package var driveLength: Meters?
    /// At most 2.55 s; nil if 0x0035 was lost.
    package var driveTime: Duration?
    /// Of the recovery after this drive; nil if the second 0x0035 of the stroke was lost.
    package var recoveryTime: Duration?
    /// The boat's distance in the stroke; nil if 0x0035 was lost.
    package var strokeDistance: Meters?
    /// The greatest force of the drive; nil if 0x0035 was lost.
    package var peakForce: Newtons?
    /// The mean force of the drive; nil if 0x0035 was lost.
    package var averageForce: Newtons?
    /// Nil for a first stroke, or if its packet was lost.
    package var work: Joules?
    /// Total calories of the session so far.
    package var calories: Int?
    /// The 1-based split or interval of the stroke.
    package var interval: Int?
    /// Of the whole piece, if its goal is not a time.
    package var projectedTime: Duration?
    /// Of the whole piece, if its goal is not a distance.
    package var projectedDistance: Meters?
    /// The comparison with the target; nil without a target.
    package var target: TargetCheck?
}

extension Stroke {
    /// Creates a stroke with number, time and distance only.
    package init(
        session: SessionID, at: BootInstant, number: Int, elapsed: Duration, distance: Meters
    ) {
        self.init(
            session: session, at: at, number: number, elapsed: elapsed, distance: distance,
            target: nil)
    }
}

extension Stroke {
    /// Creates the published values of a stroke that a session has counted.
    ///
    /// - Parameter readings: the monitor's values at the stroke.
    init(
        _ stroke: AssembledStroke, of session: Session, _ readings: MonitorReadings, at now: BootInstant
    ) {
        let position = session.intervals.sessionPosition(
            elapsedCentiseconds: stroke.elapsedCentiseconds,
            distanceDecimeters: stroke.data?.distanceDecimeters, leg: stroke.leg)
        self.init(
            session: session.head.id, at: now, number: stroke.number,
            elapsed: .centiseconds(position.elapsed), distance: Meters(decimeters: position.distance))
        interval = session.intervals.interval(
            ofLeg: stroke.leg, elapsedCentiseconds: stroke.elapsedCentiseconds)
        if let status1 = readings.status1 {
            if let rate = status1.knownStrokeRatePerMinute, rate > 0 { strokeRate = Int(rate) }
            heartRate = status1.knownHeartRateBeatsPerMinute.map(Int.init)
            pace = status1.knownCurrentPaceCentisecondsPer500m.map {
                Pace(centisecondsPer500m: Int64($0))
            }
        }
        if readings.status2 != nil { calories = session.totals.calories.sum }
        if let data = stroke.data { copyFields(from: data, hasRecovery: stroke.hasRecovery) }
        if let power = stroke.power { copyFields(from: power) }
        target = session.targets.check(self, ofInterval: interval)
    }

    private mutating func copyFields(from data: StrokeData, hasRecovery: Bool) {
        driveLength = Meters(centimeters: Int64(data.driveLengthCentimeters))
        driveTime = .centiseconds(data.driveCentiseconds)
        if hasRecovery {
            recoveryTime = data.knownRecoveryCentiseconds.map { .centiseconds($0) }
        }
        strokeDistance = Meters(centimeters: Int64(data.strokeDistanceCentimeters))
        peakForce = Newtons(deciPoundsForce: Int64(data.peakDriveForceTenthsOfPound))
        averageForce = Newtons(deciPoundsForce: Int64(data.averageDriveForceTenthsOfPound))
        work = data.knownWorkPerStrokeDecijoules.map { Joules(decijoules: Int64($0)) }
    }

    private mutating func copyFields(from power: AdditionalStrokeData) {
        powerWatts = Int(power.strokePowerWatts)
        projectedTime = power.knownProjectedWorkSeconds.map { .seconds($0) }
        projectedDistance = power.knownProjectedWorkDistanceMeters.map {
            Meters(Int64($0))
        }
        if let work = power.knownWorkPerStrokeDecijoules {
            self.work = Joules(decijoules: Int64(work))
        }
    }
}
