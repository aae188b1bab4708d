import Bests
import Bytes

/// Zones by which the time of a session's strokes is divided.
package protocol TrainingZones: Equatable, Sendable {
    /// The formula of the time in zone.
    static var timeFormula: String { get }
    /// Hundredths of a second of a session in each zone, in order.
    ///
    /// - Parameters:
    ///   - power: the session's time at each power.
    ///   - heart: the session's time at each heart rate.
    func time(power: StrokeTimeHistogram, heart: StrokeTimeHistogram) -> [Int64]
    /// The first whole value above each zone but the last: watts, or beats per minute.
    var bounds: [Int] { get }
}

extension TrainingZones {
    /// Writes each zone with its bounds, in members with these names.
    func writeBounds(into json: inout JSONWriter, from: StaticString, to: StaticString) {
        json.list("bounds", of: zip(PowerZone.allCases, 0...bounds.count)) { json, element in
            let (zone, index) = element
            json.field("zone", zone.rawValue)
            json.field(from, index > 0 ? bounds[index - 1] : 0)
            if index < bounds.count { json.field(to, bounds[index]) }
        }
    }
}

/// The time rowed in each zone, in a session or a span of time.
package struct TimeInZone: Equatable, Sendable {
    package let basis: FigureBasis
    /// Hundredths of a second in each zone, in order.
    package private(set) var centiseconds: [Int64]
    /// Hundredths of a second of work with unknown power or heart rate.
    package private(set) var unknown: Int64

    /// From sessions on the zones' machine.
    package init(_ pieces: [PieceTraining], in zones: any TrainingZones) {
        let metrics = pieces.map(\.metrics)
        basis = FigureBasis(
            .computed, type(of: zones).timeFormula, of: metrics.map(\.name),
            on: metrics.map(\.startedAt).max() ?? 0)
        centiseconds = [Int64](repeating: 0, count: zones.bounds.count + 1)
        unknown = 0
        for piece in pieces {
            let times = zones.time(power: piece.power, heart: piece.heart)
            for (index, time) in times.enumerated() { centiseconds[index] += time }
            unknown += max(0, piece.metrics.total.centiseconds - times.reduce(0, +))
        }
    }

    /// Time in zone of all spans with at least one session, in order. A session counts for the span in
    /// which it began.
    ///
    /// - Parameters:
    ///   - pieces: sessions on the zones' machine.
    ///   - season: only sessions of this season; nil for all.
    package static func all(
        of pieces: [PieceTraining], in zones: any TrainingZones, by length: TrainingSpan.Length,
        in season: Season? = nil
    ) -> [(span: TrainingSpan, time: TimeInZone)] {
        let inSeason = pieces.filter { piece in
            season.map { $0 == piece.metrics.season } ?? true
        }
        return Dictionary(grouping: inSeason) { TrainingSpan(length, of: $0.metrics.startedOn) }
            .sorted { $0.key < $1.key }
            .map { ($0.key, TimeInZone($0.value, in: zones)) }
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter, listsInputs: Bool = true) {
        basis.write(into: &json, listsInputs: listsInputs)
        json.list("zones", of: zip(PowerZone.allCases, centiseconds)) { json, part in
            json.field("zone", part.0.rawValue)
            json.field("time_s", part.1, places: 2)
        }
        json.field("unknown_s", unknown, places: 2)
    }
}
