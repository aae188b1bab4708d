import Bytes
import Contract
import PM5Codec
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

/// Groups the strokes of an erg by the minute of its session's work, and by the interval.
///
/// The following strokes close a rollup, not a clock: the same strokes give the same rollups,
/// however late they arrive. Without rowing there is no rollup.
package struct RollupWindows: Sendable {
    /// The curve of a stroke may arrive after the next stroke, but not after this many; the same
    /// limit holds for curves before their stroke.
    static let maximumCurveDelayInStrokes = 3

    private var minutes = Window(.minute)
    private var intervals = Window(.interval)
    /// Whether the open session has intervals.
    private var hasIntervals = false
    private var lastStroke = 0
    /// A curve is complete at the end of its drive, a stroke at the end of its recovery.
    private var early: [ForceCurve] = []

    package init() {}

    /// Continues a session that another process left open, or none.
    package mutating func resume(_ session: SessionTransition?) {
        hasIntervals = session?.workout.type.isInterval ?? false
    }

    /// Handles an event of the erg.
    package mutating func handle(_ event: SessionEvent, into rollups: inout [Rollup]) {
        switch event {
        case .session(let transition):
            hasIntervals = transition.workout.type.isInterval
            guard transition.kind == .started || transition.kind == .ended else { return }
            minutes.end(into: &rollups)
            intervals.end(into: &rollups)
            (lastStroke, early) = (0, [])
        case .stroke(let stroke):
            minutes.add(stroke, to: stroke.minute, into: &rollups)
            if hasIntervals, let interval = stroke.interval {
                intervals.add(stroke, to: interval, into: &rollups)
            }
            lastStroke = stroke.number
            for curve in early where curve.stroke <= lastStroke { add(curve) }
            early.removeAll { $0.stroke <= lastStroke }
        case .force(let curve) where curve.stroke > lastStroke:
            if early.count == Self.maximumCurveDelayInStrokes { early.removeFirst() }
            early.append(curve)
        case .force(let curve): add(curve)
        case .split, .summary, .gap, .state: break
        }
    }

    private mutating func add(_ curve: ForceCurve) {
        minutes.add(curve)
        intervals.add(curve)
    }

    /// One kind of rollup: the growing one, and the one before, whose last curves may still arrive.
    private struct Window: Sendable {
        let span: Rollup.Span
        var last: Rollup?
        var growing: Rollup?
        /// The last stroke before `growing`.
        var before = 0

        init(_ span: Rollup.Span) { self.span = span }

        mutating func add(_ stroke: Stroke, to number: Int, into rollups: inout [Rollup]) {
            if let growing, growing.number != number || growing.session != stroke.session {
                if let last { rollups.append(last) }
                (last, before) = (growing, growing.strokes.upperBound)
                self.growing = nil
            }
            if growing == nil {
                growing = Rollup(
                    span, number, from: stroke, follows: stroke.number == before + 1)
            } else {
                growing?.add(stroke)
            }
            if let last, stroke.number >= last.strokes.upperBound + RollupWindows.maximumCurveDelayInStrokes {
                rollups.append(last)
                self.last = nil
            }
        }

        mutating func add(_ curve: ForceCurve) {
            if growing?.has(curve) == true { growing?.add(curve) }
            if last?.has(curve) == true { last?.add(curve) }
        }

        mutating func end(into rollups: inout [Rollup]) {
            if let last { rollups.append(last) }
            if let growing { rollups.append(growing) }
            (last, growing, before) = (nil, nil, 0)
        }
    }
}

extension Rollup {
    fileprivate func has(_ curve: ForceCurve) -> Bool {
        curve.session == session && strokes.contains(curve.stroke)
    }
}

extension Stroke {
    /// 1-based minute of the session's work in which the stroke was completed; 60 s belongs to the
    /// first.
    fileprivate var minute: Int { Int(max(0, elapsed.wholeMilliseconds - 1) / 60_000) + 1 }
}

/// Encodes a published rollup.
extension Rollup: RecordBody {
    package static let recordKind = StreamKind.rollup

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("session_id", session.text)
        json.field("athlete_id", context.athlete)
        json.field("span", span.rawValue)
        json.field("number", number)
        json.field("from_stroke", strokes.lowerBound)
        json.field("to_stroke", strokes.upperBound)
        json.field("strokes", count)
        json.field("whole", isWhole)
        json.mean("avg_power_w", of: watts, places: 1)
        json.deviation("sd_power_w", of: watts, places: 1)
        json.mean("avg_stroke_rate_spm", of: rate, places: 1)
        json.deviation("sd_stroke_rate_spm", of: rate, places: 1)
        json.mean("avg_heart_rate_bpm", of: heartRate, places: 1)
        json.deviation("sd_heart_rate_bpm", of: heartRate, places: 1)
        json.mean("avg_pace_s_per_500m", of: pace, unit: 1000, places: 2)
        json.deviation("sd_pace_s_per_500m", of: pace, unit: 1000, places: 2)
        json.mean("drive_to_recovery", of: driveToRecovery, unit: 10_000, places: 3)
        json.mean("peak_position_ratio", of: peakPosition, unit: 1000, places: 3)
        json.mean("avg_to_peak_ratio", of: averageToPeak, unit: 1000, places: 3)
        json.tally(targetTally)
    }
}

extension JSONWriter {
    private static let powers = [1, 10, 100, 1000]

    /// Writes the mean as a field; leaves the field out without values.
    ///
    /// - Parameter unit: how many units of the spread are one unit of the field.
    fileprivate mutating func mean(
        _ name: StaticString, of spread: Spread, unit: Int = 1, places: Int
    ) {
        let value = spread.mean(scaled: Self.powers[places], by: unit)
        field(name, value.map(Int64.init), places: places)
    }

    /// Absent for fewer than two values.
    fileprivate mutating func deviation(
        _ name: StaticString, of spread: Spread, unit: Int = 1, places: Int
    ) {
        let value = spread.deviation(scaled: Self.powers[places], by: unit)
        field(name, value.map(Int64.init), places: places)
    }
}
