import Bests
import Bytes
import Timeline

/// Training metrics of one session's strokes, independent of other sessions.
package struct PieceTraining: Equatable, Sendable {
    package var metrics: PieceMetrics
    package internal(set) var power: StrokeTimeHistogram
    package internal(set) var heart: StrokeTimeHistogram
    package internal(set) var drift: Result<HeartDrift, MissingReason>
    package internal(set) var consistency: Result<Consistency, MissingReason>
    package internal(set) var split: Result<SplitIndex, MissingReason>
    /// The preset workout; nil if no distance or time was set.
    package internal(set) var workout: WorkoutResult?
    package internal(set) var normalized: NormalizedPower?
    package internal(set) var force: Result<ForceFeatures, MissingReason>

    /// - Parameters:
    ///   - shapes: its force curves, or an even sample of them.
    ///   - calendar: the club's calendar.
    package init(
        _ piece: RecordedPiece, _ shapes: [ForceShape] = [], in calendar: ClubCalendar
    ) {
        metrics = PieceMetrics(piece, in: calendar)
        power = StrokeTimeHistogram(piece.strokes, at: \.watts)
        heart = StrokeTimeHistogram(piece.strokes, at: \.heartRate)
        drift = HeartDrift.of(piece)
        consistency = Consistency.of(piece)
        split = SplitIndex.of(piece)
        workout = piece.workout
        normalized = NormalizedPower(piece.strokes)
        force = ForceFeatures.of(shapes)
    }

    /// Writes the members into an open object.
    ///
    /// - Parameter zones: the rower's zones on this machine.
    package func write(into json: inout JSONWriter, zones: Result<PowerZones, MissingReason>) {
        json.field("machine", metrics.machine.rawValue)
        if !metrics.isMachineRecorded { json.field("machine_assumed", true) }
        json.result("consistency", consistency) { $0.write(into: &$1) }
        json.result("heart_drift", drift) { $0.write(into: &$1) }
        json.result("split_index", split) { $0.write(into: &$1) }
        json.result("zones", zones) { $0.write(into: &$1) }
        guard case .success(let zones) = zones else { return }
        json.object("time_in_zone") { TimeInZone([self], in: zones).write(into: &$0) }
    }
}

extension RecordedPiece {
    /// The points of the whole piece without a gap, or the reason why it is not one unbroken piece.
    var unbroken: Result<[WorkPoint], MissingReason> {
        if strokes.contains(where: { $0.interval != nil }) { return .failure(MissingReason(.intervals)) }
        guard runs.count == 1, let run = runs.first, run.first?.centiseconds == 0,
            let end = run.last, end.centiseconds >= total.centiseconds
        else { return .failure(MissingReason(.broken)) }
        return .success(run)
    }

    /// The basis of a figure computed from this session.
    func basis(_ formula: String) -> FigureBasis {
        FigureBasis(.computed, formula, of: [name], on: startedAt)
    }
}
