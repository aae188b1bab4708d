import Bytes
import Timeline

/// A result that beat all earlier results of its kind. It is announced on the day of the session.
///
/// The value depends only on the set of sessions, as `AthleteBests` does. A session that arrives late
/// counts for the day on which it was rowed: it may become a best and may cancel later ones.
package struct NewBest: Equatable, Sendable {
    package enum Result: String, CaseIterable, Sendable {
        case ranked
        case effort
    }

    package enum Scope: String, CaseIterable, Sendable {
        case allTime = "all_time"
        /// A best of its season only.
        case season
    }

    package let piece: PieceName
    package let machine: MachineKind
    package let event: RankedEvent
    package let result: Result
    package let scope: Scope
    /// The season of the session.
    package let season: Season
    package let figure: EventResult
    /// The best that it beat, of all time or of the season; nil for the first of its kind.
    package let before: EventResult?
    /// Start of the first session with a result of this kind, in Unix milliseconds.
    private let since: Int64

    /// An evening at the ergs is shorter than this: milliseconds.
    private static let evening: Int64 = 12 * 3_600_000

    /// Whether it beats an earlier result and is worth announcing. Best efforts are found in every piece,
    /// so each faster piece of an athlete's first evening would yield several. They count only if an effort
    /// of another day exists.
    package var isWorthAnnouncing: Bool {
        before != nil && (result == .ranked || figure.date - since >= Self.evening)
    }

    /// All bests in the order of their sessions, including those not worth announcing.
    package static func all(in pieces: [PieceMetrics]) -> [NewBest] {
        var best: [Key: EventResult] = [:]
        var since: [Key: Int64] = [:]
        var found: [NewBest] = []
        for piece in pieces.sorted(by: { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }) {
            for event in RankedEvent.all {
                let (ranked, effort) = (piece.ranked(over: event), piece.effort(over: event))
                for (result, figure) in [(Result.ranked, ranked), (.effort, effort)] {
                    guard let figure else { continue }
                    let key = Key(machine: piece.machine, event: event, result: result)
                    found += newBests(figure, of: piece, key, &best, &since)
                }
            }
        }
        return found
    }

    private static func newBests(
        _ figure: EventResult, of piece: PieceMetrics, _ all: Key,
        _ best: inout [Key: EventResult], _ since: inout [Key: Int64]
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
        // An all-time best is also the best of its season; it is reported once.
        return Array(found.prefix(1))
    }

    private struct Key: Hashable {
        let machine: MachineKind
        let event: RankedEvent
        let result: Result
        var season: Season?
    }

    /// The key of its notice: each result is published once.
    ///
    /// The season is part of the key if it differs from the season in UTC, which the keys of earlier
    /// versions imply. So if the club changes its time zone, such a best is published again.
    package var subject: String {
        let name = "\(piece.gateway)/\(piece.session)/\(event.wireName)/\(result.rawValue)"
        let implied = Season(of: ClubCalendar.utc.day(of: figure.date))
        return "\(name)/\(scope.rawValue)/\(figure.centiseconds)/\(figure.decimetres)"
            + (season == implied ? "" : "/\(season.year)")
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("session_id", piece.session)
        json.field("machine", machine.rawValue)
        json.field("event", event.wireName)
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
