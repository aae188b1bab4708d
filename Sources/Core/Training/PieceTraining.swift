import Bests
import Bytes
import Timeline

/// Training metrics of one session's strokes, independent of other sessions.
package struct PieceTraining: Equatable, Sendable {
    package var metrics: PieceMetrics
    package let power: StrokeTimeHistogram
    package let heart: StrokeTimeHistogram
    package let drift: Result<HeartDrift, MissingReason>
    package let consistency: Result<Consistency, MissingReason>
    package let split: Result<SplitIndex, MissingReason>
    /// The preset workout; nil if no distance or time was set.
    package let workout: WorkoutResult?
    package let normalized: NormalizedPower?
    package let force: Result<ForceFeatures, MissingReason>

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

/// Training summary of a week or a season: volume in total and by day, load, and time in power zones for
/// each kind of machine.
package struct SpanTraining: Equatable, Sendable {
    package let length: TrainingSpan.Length
    package let volume: TrainingVolume
    /// Days of a week; empty for a season.
    private let days: [TrainingVolume]
    private let load: AthleteLoad
    private let zones: [InZones]

    private struct InZones: Equatable, Sendable {
        let machine: MachineKind
        let zones: PowerZones
        let time: TimeInZone
    }

    package var span: TrainingSpan { volume.span }

    /// The summaries of all spans with at least one session, in order. They depend only on the set of
    /// sessions; zones use the results of all time.
    package static func all(
        of pieces: [PieceTraining], by length: TrainingSpan.Length
    ) -> [SpanTraining] {
        let metrics = pieces.map(\.metrics)
        let bests = AthleteBests(metrics)
        let machines = Set(metrics.map(\.machine)).sorted()
        let hours = machines.map { ($0, HourPower.of(bests, on: $0)) }
        let loads = AthleteLoad.all(
            of: pieces, by: Dictionary(uniqueKeysWithValues: hours), length)
        var zones: [TrainingSpan: [InZones]] = [:]
        for machine in machines {
            guard case .success(let own) = PowerZones.of(bests, on: machine) else { continue }
            let onMachine = pieces.filter { $0.metrics.machine == machine }
            for (span, time) in TimeInZone.all(of: onMachine, in: own, by: length) {
                zones[span, default: []].append(
                    InZones(machine: machine, zones: own, time: time))
            }
        }
        let days = length == .week ? TrainingVolume.all(of: metrics, by: .day) : []
        return zip(TrainingVolume.all(of: metrics, by: length), loads).map { volume, load in
            let first = volume.span.firstDay
            let own = first..<first.advanced(by: 7)
            return SpanTraining(
                length: length, volume: volume,
                days: days.filter { own.contains($0.span.firstDay) }, load: load,
                zones: zones[volume.span] ?? [])
        }
    }

    /// Writes the members into an open object. The sessions are listed once, since most metrics use all of
    /// them.
    package func write(into json: inout JSONWriter) {
        json.field("by", length.rawValue)
        json.field("from", span.text)
        json.object("volume") { volume.write(into: &$0, listsInputs: false) }
        if !days.isEmpty {
            json.list("days", of: days) { $1.write(into: &$0, listsInputs: false) }
        }
        json.object("load") { load.write(into: &$0, listsInputs: false) }
        json.list("zones", of: zones) { json, one in
            json.field("machine", one.machine.rawValue)
            one.zones.write(into: &json)
            json.object("time_in_zone") { one.time.write(into: &$0, listsInputs: false) }
        }
        json.list("inputs", of: volume.inputs) { json, name in name.write(into: &json) }
    }
}
