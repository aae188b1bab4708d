import Bytes
import Timeline

/// A result that was better than all of its kind before it: what is told the day that it is rowed.
///
/// A function of a set of sessions, as `AthleteBests` is: what arrives late was rowed before, so that it
/// may be a best, and what was taken for one until then is none.
package struct NewBest: Equatable, Sendable {
    package enum Result: String, CaseIterable, Sendable {
        case ranked
        case effort
    }

    package enum Scope: String, CaseIterable, Sendable {
        case allTime = "all_time"
        /// Of its season alone.
        case season
    }

    package let piece: PieceName
    package let machine: MachineKind
    package let event: RankedEvent
    package let result: Result
    package let scope: Scope
    /// The season in which it was rowed.
    package let season: Season
    package let figure: RowedFigure
    /// What it beats: the best of all time, or of the season; nil for the first of its kind.
    package let before: RowedFigure?
    /// When the first one of its kind was rowed, in Unix milliseconds.
    private let since: Int64

    /// An evening at the ergs is shorter: milliseconds.
    private static let evening: Int64 = 12 * 3_600_000

    /// Whether it is worth announcing: it beats an earlier result. A best effort is measured in
    /// every piece, so that on an athlete's first evening each faster piece would have several;
    /// these need an effort of another day.
    package var isNews: Bool {
        before != nil && (result == .ranked || figure.date - since >= Self.evening)
    }

    /// In the order in which they were rowed, those that are no news included.
    package static func all(in pieces: [PieceFigures]) -> [NewBest] {
        var best: [Key: RowedFigure] = [:]
        var since: [Key: Int64] = [:]
        var found: [NewBest] = []
        for piece in pieces.sorted(by: { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }) {
            for event in RankedEvent.all {
                let (ranked, effort) = (piece.ranked(over: event), piece.effort(over: event))
                for (result, figure) in [(Result.ranked, ranked), (.effort, effort)] {
                    guard let figure else { continue }
                    let key = Key(machine: piece.machine, event: event, result: result)
                    found += take(figure, of: piece, key, &best, &since)
                }
            }
        }
        return found
    }

    private static func take(
        _ figure: RowedFigure, of piece: PieceFigures, _ all: Key,
        _ best: inout [Key: RowedFigure], _ since: inout [Key: Int64]
    ) -> [NewBest] {
        var season = all
        season.season = piece.season
        var found: [NewBest] = []
        for (scope, key) in [(Scope.allTime, all), (.season, season)] {
            let before = best[key]
            let first = since[key, default: figure.date]
            since[key] = first
            guard before.map({ figure.isFaster(than: $0) }) ?? true else { continue }
            best[key] = figure
            found.append(
                NewBest(
                    piece: piece.name, machine: all.machine, event: all.event,
                    result: all.result, scope: scope, season: piece.season, figure: figure,
                    before: before, since: first))
        }
        // The best of all time is that of its season too, and told once.
        return Array(found.prefix(1))
    }

    private struct Key: Hashable {
        let machine: MachineKind
        let event: RankedEvent
        let result: Result
        var season: Season?
    }

    /// Identifies it among all notices: the same result is published once.
    ///
    /// The season is a part of it where it differs from the season in UTC, which subjects of earlier
    /// versions imply: in another time zone of the club, such a best is published again.
    package var subject: String {
        let name = "\(piece.gateway)/\(piece.session)/\(event.word)/\(result.rawValue)"
        let implied = Season(of: ClubCalendar.utc.day(of: figure.date))
        return "\(name)/\(scope.rawValue)/\(figure.centiseconds)/\(figure.decimetres)"
            + (season == implied ? "" : "/\(season.year)")
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.field("session_id", piece.session)
        json.field("machine", machine.rawValue)
        json.field("event", event.word)
        event.write(into: &json)
        json.field("result", result.rawValue)
        json.field("scope", scope.rawValue)
        json.field("season", season.year)
        json.field("figure_kind", figure.kind.rawValue)
        json.field("formula", figure.formula)
        json.field("time_s", figure.centiseconds, places: 2)
        json.field("distance_m", figure.decimetres, places: 1)
        json.field("from_s", figure.from, places: 2)
        json.field("started_ms", figure.date)
        guard let before else { return }
        json.field("before_time_s", before.centiseconds, places: 2)
        json.field("before_distance_m", before.decimetres, places: 1)
        json.field("before_started_ms", before.date)
        if let name = before.inputs.first {
            json.field("before_gw", name.gateway.slug)
            json.field("before_session_id", name.session)
        }
    }
}
