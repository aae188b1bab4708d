import Bests
import Bytes

/// An athlete's training volume in a day, a week or a season: sums over sessions.
package struct TrainingVolume: Equatable, Sendable {
    package let span: TrainingSpan
    package let length: TrainingSpan.Length
    /// Hundredths of a second, and tenths of a metre, of work.
    package private(set) var centiseconds: Int64 = 0
    package private(set) var decimetres: Int64 = 0
    package private(set) var strokeCount = 0
    /// Hundredths of a joule at the handle, summed over the strokes whose power is known.
    package private(set) var work: Int64 = 0
    /// Hundredths of a second of work whose power is unknown.
    package private(set) var unknownPower: Int64 = 0
    /// Unix milliseconds: start of the latest session.
    private(set) var date: Int64 = 0
    /// In order of their start.
    package private(set) var inputs: [PieceName] = []

    package static let formula = "sum over the sessions that began in it"

    /// The volumes of all spans with at least one session, in order. A session counts for the span in which
    /// it began.
    ///
    /// - Parameter season: only sessions of this season; nil for all.
    package static func all(
        of pieces: [PieceMetrics], by length: TrainingSpan.Length, in season: Season? = nil
    ) -> [TrainingVolume] {
        var found: [TrainingSpan: TrainingVolume] = [:]
        for piece in pieces.sorted(by: { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) })
        where season.map({ $0 == piece.season }) ?? true {
            let span = TrainingSpan(length, of: piece.startedOn)
            found[span, default: TrainingVolume(span: span, length: length)].add(piece)
        }
        return found.values.sorted { $0.span < $1.span }
    }

    private init(span: TrainingSpan, length: TrainingSpan.Length) {
        self.span = span
        self.length = length
    }

    private mutating func add(_ piece: PieceMetrics) {
        centiseconds += piece.total.centiseconds
        decimetres += piece.total.decimetres
        strokeCount += piece.strokeCount
        work += piece.work
        unknownPower += max(0, piece.total.centiseconds - piece.poweredCentiseconds)
        date = max(date, piece.startedAt)
        inputs.append(piece.name)
    }

    /// Writes the members into an open object, without the sessions if the caller lists them elsewhere.
    package func write(into json: inout JSONWriter, listsInputs: Bool = true) {
        json.field("from", span.text)
        json.field("kind", FigureKind.computed.rawValue)
        json.field("formula", Self.formula)
        json.field("at_ms", date)
        json.field("time_s", centiseconds, places: 2)
        json.field("distance_m", decimetres, places: 1)
        json.field("strokes", strokeCount)
        json.field("work_kj", (work + 5000) / 10_000, places: 1)
        json.field("unknown_power_s", unknownPower, places: 2)
        json.field("sessions", inputs.count)
        guard listsInputs else { return }
        json.list("inputs", of: inputs) { json, name in name.write(into: &json) }
    }
}
