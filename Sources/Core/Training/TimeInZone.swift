import Bests
import Bytes

/// How long somebody rowed in each zone, in a session or a span of time.
package struct TimeInZone: Equatable, Sendable {
    package let basis: FigureBasis
    /// Hundredths of a second in each zone, in their order.
    package private(set) var centiseconds: [Int64]
    /// Hundredths of a second of work whose power, or heart rate, nobody knows: not heard, or not told.
    package private(set) var unknown: Int64

    /// Of sessions on the machine that the zones are of.
    package init(_ pieces: [PieceTraining], in zones: any TrainingZones) {
        let figures = pieces.map(\.figures)
        basis = FigureBasis(
            .computed, type(of: zones).timeFormula, of: figures.map(\.name),
            on: figures.map(\.startedAt).max() ?? 0)
        centiseconds = [Int64](repeating: 0, count: zones.bounds.count + 1)
        unknown = 0
        for piece in pieces {
            let times = zones.time(power: piece.power, heart: piece.heart)
            for (index, time) in times.enumerated() { centiseconds[index] += time }
            unknown += max(0, piece.figures.total.centiseconds - times.reduce(0, +))
        }
    }

    /// Of all spans in which anything was rowed, in order; a session is of the span it began in.
    ///
    /// - Parameters:
    ///   - pieces: on the machine that the zones are of.
    ///   - season: leaves out what is of another; nil for all.
    package static func all(
        of pieces: [PieceTraining], in zones: any TrainingZones, by length: TrainingSpan.Length,
        in season: Season? = nil
    ) -> [(span: TrainingSpan, time: TimeInZone)] {
        let rowed = pieces.filter { piece in
            season.map { $0 == piece.figures.season } ?? true
        }
        return Dictionary(grouping: rowed) { TrainingSpan(length, of: $0.figures.startedOn) }
            .sorted { $0.key < $1.key }
            .map { ($0.key, TimeInZone($0.value, in: zones)) }
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter, listsInputs: Bool = true) {
        basis.write(into: &json, listsInputs: listsInputs)
        json.list("zones", of: zip(PowerZone.allCases, centiseconds)) { json, part in
            json.field("zone", part.0.rawValue)
            json.field("time_s", part.1, places: 2)
        }
        json.field("unknown_s", unknown, places: 2)
    }
}
