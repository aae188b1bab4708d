import Contract
import Rowing
import Timeline

/// What the strokes of a minute of rowing, or of an interval, amount to.
package struct Rollup: Equatable, Sendable {
    /// What it is of.
    package enum Span: String, CaseIterable, Sendable { case minute, interval }

    package let session: SessionID
    package let span: Span
    /// 1-based: of the minutes of work of the session, or of its intervals.
    package let number: Int
    /// When the last stroke of it was heard.
    package private(set) var at: BootInstant
    /// Of the first stroke in it, and of the last.
    package private(set) var strokes: ClosedRange<Int>
    /// How many of these strokes were heard.
    package private(set) var count = 0
    /// Whether all strokes were heard from the end of the rollup before it to its own last one.
    package private(set) var isWhole: Bool
    package private(set) var watts = Spread()
    /// Strokes per minute.
    package private(set) var rate = Spread()
    /// Beats per minute.
    package private(set) var heartRate = Spread()
    /// Milliseconds for 500 m.
    package private(set) var pace = Spread()
    /// How long the drive takes of a stroke, in ten-thousandths of the recovery behind it.
    package private(set) var driveToRecovery = Spread()
    /// Where in the drive the force is greatest: thousandths of its points.
    package private(set) var peakPosition = Spread()
    /// Mean of the force by its greatest, in thousandths.
    package private(set) var averageToPeak = Spread()
    /// Of its strokes, against their target.
    package private(set) var targetTally = TargetTally()

    /// - Parameter follows: whether the stroke is the next one behind the rollup before.
    init(_ span: Span, _ number: Int, from stroke: Stroke, follows: Bool) {
        (self.span, self.number) = (span, number)
        (session, at, isWhole) = (stroke.session, stroke.at, follows)
        strokes = stroke.number...stroke.number
        add(stroke)
    }

    /// Takes in a stroke that comes behind all others.
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

    /// Takes in the curve of one of its strokes.
    mutating func add(_ curve: ForceCurve) {
        guard let shape = curve.shape else { return }
        peakPosition.add(Int(shape.positionThousandths))
        averageToPeak.add(Int(shape.averageThousandths))
    }
}
