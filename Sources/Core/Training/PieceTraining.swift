import Bests
import Bytes
import Timeline

/// What a session's strokes come to for training, whatever became of other sessions.
package struct PieceTraining: Equatable, Sendable {
    package var figures: PieceFigures
    package let power: StrokeTime
    package let heart: StrokeTime
    package let drift: Told<HeartDrift>
    package let consistency: Told<Consistency>
    package let split: Told<SplitIndex>
    /// What it was set to; nil where that is no distance and no time.
    package let workout: RowedWorkout?
    package let normalized: NormalizedPower?
    package let force: Told<ForceFeatures>

    /// - Parameters:
    ///   - shapes: of its force curves, or of some of them from all of it.
    ///   - calendar: of the club.
    package init(
        _ piece: RowedPiece, _ shapes: [ForceShape] = [], in calendar: ClubCalendar
    ) {
        figures = PieceFigures(piece, in: calendar)
        power = StrokeTime(piece.rowed, at: \.watts)
        heart = StrokeTime(piece.rowed, at: \.heartRate)
        drift = HeartDrift.of(piece)
        consistency = Consistency.of(piece)
        split = SplitIndex.of(piece)
        workout = piece.workout
        normalized = NormalizedPower(piece.rowed)
        force = ForceFeatures.of(shapes)
    }

    /// Its members, in an object that is open.
    ///
    /// - Parameter zones: of who rowed it, on its machine.
    package func write(into json: inout JSONWriter, zones: Told<PowerZones>) {
        json.field("machine", figures.machine.rawValue)
        if !figures.isMachineRecorded { json.field("machine_assumed", true) }
        json.told("consistency", consistency) { $0.write(into: &$1) }
        json.told("heart_drift", drift) { $0.write(into: &$1) }
        json.told("split_index", split) { $0.write(into: &$1) }
        json.told("zones", zones) { $0.write(into: &$1) }
        guard case .success(let zones) = zones else { return }
        json.object("time_in_zone") { TimeInZone([self], in: zones).write(into: &$0) }
    }
}

extension RowedPiece {
    /// All of it as points that nothing lies between; why it is not such a piece otherwise.
    var unbroken: Told<[RowedPoint]> {
        if rowed.contains(where: { $0.interval != nil }) { return .failure(Lack(.intervals)) }
        guard runs.count == 1, let run = runs.first, run.first?.centiseconds == 0,
            let end = run.last, end.centiseconds >= total.centiseconds
        else { return .failure(Lack(.broken)) }
        return .success(run)
    }

    /// Of a figure about this session.
    func basis(_ formula: String) -> FigureBasis {
        FigureBasis(.computed, formula, of: [name], on: startedAt)
    }
}
