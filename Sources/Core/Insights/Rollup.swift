import Contract
import Rowing
import Timeline

/// Statistics over the strokes of a minute of rowing, or of an interval.
package struct Rollup: Equatable, Sendable {
    /// The span of the rollup.
    package enum Span: String, CaseIterable, Sendable { case minute, interval }

    package let session: SessionID
    package let span: Span
    /// 1-based: of the session's minutes of work, or of its intervals.
    package let number: Int
    /// When its last stroke was received.
    package private(set) var at: BootInstant
    /// Numbers of its first and its last stroke.
    package private(set) var strokes: ClosedRange<Int>
    /// Number of strokes received.
    package private(set) var count = 0
    /// Whether all strokes from the end of the previous rollup to its own last one were received.
    package private(set) var isWhole: Bool
    package private(set) var watts = Spread()
    /// Strokes per minute.
    package private(set) var rate = Spread()
    /// Beats per minute.
    package private(set) var heartRate = Spread()
    /// Milliseconds for 500 m.
    package private(set) var pace = Spread()
    /// Drive time in ten-thousandths of the following recovery time.
    package private(set) var driveToRecovery = Spread()
    /// Position of the maximum force in the drive, in thousandths.
    package private(set) var peakPosition = Spread()
    /// Mean force divided by maximum force, in thousandths.
    package private(set) var averageToPeak = Spread()
    /// Its strokes, compared with their target.
    package private(set) var targetTally = TargetTally()

    /// - Parameter follows: whether the stroke directly follows the previous rollup.
    init(_ span: Span, _ number: Int, from stroke: Stroke, follows: Bool) {
        (self.span, self.number) = (span, number)
        (session, at, isWhole) = (stroke.session, stroke.at, follows)
        strokes = stroke.number...stroke.number
        add(stroke)
    }

    /// Adds a stroke after all others.
    mutating func add(_ stroke: Stroke) {
        if count > 0, stroke.number != strokes.upperBound + 1 { isWhole = false }
        strokes = strokes.lowerBound...max(strokes.upperBound, stroke.number)
        at = stroke.at
        count += 1
        if let power = stroke.powerWatts { watts.add(power) }
        if let perMinute = stroke.strokeRate { rate.add(perMinute) }
        if let beats = stroke.heartRate { heartRate.add(beats) }
        targetTally.add(stroke.target)
        if let time = stroke.pace?.millisecondsPer500m { pace.add(Int(time)) }
        if let drive = stroke.driveTime, let recovery = stroke.recoveryTime, recovery > .zero {
            driveToRecovery.add(
                Int(drive.wholeMilliseconds * 10_000 / recovery.wholeMilliseconds))
        }
    }

    /// Adds the curve of one of its strokes.
    mutating func add(_ curve: ForceCurve) {
        guard let shape = curve.shape else { return }
        peakPosition.add(Int(shape.positionThousandths))
        averageToPeak.add(Int(shape.averageThousandths))
    }
}
