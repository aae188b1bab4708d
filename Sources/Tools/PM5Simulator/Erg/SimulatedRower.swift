/// One stroke cycle: from the end of one drive over the recovery to the end of the next drive.
///
/// The monitor counts and averages over this cycle: in the ErgometerJS recording, stroke distance
/// is the distance between two drive ends, and work is power times the time between them.
struct Stroke: Equatable, Sendable {
    /// 1 for the first stroke of an interval.
    var number: Int
    /// The end of the previous drive; for the first stroke the first movement.
    var startMilliseconds: Int
    /// Distance of the interval at the start.
    var startMeters: Double
    /// The recovery before the drive; 0 for the first stroke.
    var recoveryMilliseconds: Int
    var driveMilliseconds: Int
    /// Mean over the whole cycle, metres per second.
    var meanSpeed: Double
    var driveLengthMeters: Double
    /// Handle force in lbf, one sample per `SimulatedRower.sampleMilliseconds` of the drive.
    var forces: [Double]

    var catchMilliseconds: Int { startMilliseconds + recoveryMilliseconds }
    var finishMilliseconds: Int { catchMilliseconds + driveMilliseconds }
    var periodMilliseconds: Int { recoveryMilliseconds + driveMilliseconds }
    var meters: Double { meanSpeed * Double(periodMilliseconds) / 1000 }
    var watts: Double { RowingFormulas.power(speed: meanSpeed) }
    var workJoules: Double { watts * Double(periodMilliseconds) / 1000 }
    var ratePerMinute: Double { 60_000 / Double(periodMilliseconds) }
    var peakForce: Double { forces.max() ?? 0 }
    var averageForce: Double { forces.reduce(0, +) / Double(max(forces.count, 1)) }

    /// Distance of the interval at a time within the cycle; increases with time.
    ///
    /// The flywheel slows down in the recovery and speeds up in the drive, linearly and by the same
    /// amount, so that each half has the mean speed too. A first stroke starts from rest.
    func meters(at milliseconds: Int) -> Double {
        let swing = recoveryMilliseconds == 0 ? 1 : 0.06
        let time = Double(min(max(milliseconds, startMilliseconds), finishMilliseconds))
        let recovery = Double(recoveryMilliseconds)
        let intoCycle = time - Double(startMilliseconds)
        let coasted = min(intoCycle, recovery)
        let driven = max(intoCycle - recovery, 0)
        let inRecovery =
            recovery > 0 ? coasted + swing * (coasted - coasted * coasted / recovery) : 0
        let drive = Double(driveMilliseconds)
        let inDrive = driven - swing * (driven - driven * driven / drive)
        return startMeters + meanSpeed * (inRecovery + inDrive) / 1000
    }
}

/// Generates a rower's strokes: rate and power with drift and noise.
struct SimulatedRower: Sendable {
    /// Approximately the interval of the ErgometerJS recording's force curves.
    static let sampleMilliseconds = 16
    /// Speed of the first strokes, relative to the cruising speed.
    private static let start = [0.55, 0.84, 0.95]

    let profile: RowerProfile
    private var generator: SeededGenerator
    /// The part of the planned speed that the rower rows.
    private var effort = Effort()
    /// Slow random drift around the cruising speed and rate; decays by a tenth per stroke.
    private var drift = 0.0

    init(_ profile: RowerProfile, seed: UInt64) {
        self.profile = profile
        generator = SeededGenerator(seed: seed)
    }

    /// From `now` on the rower rows at that part of the planned speed, reached within a while.
    mutating func fade(to part: Double, from now: Int, within milliseconds: Int) {
        effort = Effort(
            before: effort.part(at: now), begin: now, milliseconds: milliseconds, part: part)
    }

    /// Returns the stroke after `previous`, or the first one from rest at `milliseconds`.
    mutating func next(after previous: Stroke?, at milliseconds: Int) -> Stroke {
        drift = 0.9 * drift + 0.012 * generator.noise()
        let number = (previous?.number ?? 0) + 1
        let ramp = number <= Self.start.count ? Self.start[number - 1] : 1
        let hours = Double(milliseconds) / 3_600_000
        let form = max(1 + drift - profile.fadePerHour * hours, 0.5)
        let speed = profile.cruisingSpeed * ramp * form * effort.part(at: milliseconds)
        let rate = profile.strokesPerMinute * (1 + drift + 0.02 * generator.noise())
        let length = profile.driveLengthMeters * (1 + 0.02 * generator.noise())
        let drive = Int(length / generator.uniform(1.75...1.85) * 1000)
        let recovery = previous == nil ? 0 : max(Int(60_000 / rate) - drive, 400)
        var stroke = Stroke(
            number: number, startMilliseconds: milliseconds,
            startMeters: previous.map { $0.startMeters + $0.meters } ?? 0,
            recoveryMilliseconds: recovery, driveMilliseconds: drive, meanSpeed: speed,
            driveLengthMeters: length, forces: [])
        stroke.forces = forces(of: stroke, from: previous?.meanSpeed ?? 0)
        return stroke
    }

    /// Returns a curve whose mean times the drive length is the work of the stroke plus the energy
    /// to accelerate the flywheel: the first strokes are hard although they are slow.
    private mutating func forces(of stroke: Stroke, from speed: Double) -> [Double] {
        let wheel = 40 * (stroke.meanSpeed * stroke.meanSpeed - speed * speed)
        let joules = max(stroke.workJoules + wheel, 0.3 * stroke.workJoules)
        let count = max(stroke.driveMilliseconds / Self.sampleMilliseconds, 1)
        let shape = (0..<count).map { index in
            let position = (Double(index) + 0.5) / Double(count)
            let rest = 1 - position
            return position * rest * rest.squareRoot() * (1 + 0.03 * generator.noise())
        }
        let mean = shape.reduce(0, +) / Double(count)
        let pounds = joules / stroke.driveLengthMeters / RowingFormulas.newtonsPerPoundForce
        return shape.map { $0 / mean * pounds }
    }
}

/// The rower's part of the planned speed: changes evenly from one value to another.
private struct Effort: Sendable {
    var before = 1.0
    var begin = 0
    var milliseconds = 0
    var part = 1.0

    func part(at now: Int) -> Double {
        guard now < begin + milliseconds else { return part }
        return before + (part - before) * Double(now - begin) / Double(milliseconds)
    }
}
