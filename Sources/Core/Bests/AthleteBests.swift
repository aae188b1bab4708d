import Bytes

/// The best that somebody rowed over each event: ranked results, and beside them, never among them,
/// best efforts within pieces; of all time and of each season.
///
/// A function of a set of sessions: their order does not matter, and a session that is erased, or no
/// longer what it was, takes what rested on it away.
package struct AthleteBests: Equatable, Sendable {
    /// Of one event, on one kind of machine, in one season or in all.
    package struct Best: Equatable, Sendable {
        package let machine: MachineKind
        package let event: RankedEvent
        /// nil for all time.
        package let season: Season?
        package fileprivate(set) var ranked: RowedFigure?
        package fileprivate(set) var effort: RowedFigure?
    }

    /// A piece that was set to an event and is no ranked result of it.
    package struct Unranked: Equatable, Sendable {
        package let name: PieceName
        package let machine: MachineKind
        package let event: RankedEvent
        /// Unix milliseconds.
        package let startedAt: Int64
        package let faults: [RankingFault]
    }

    /// Pieces that are listed as not ranked: the newest.
    package static let mostUnranked = 20

    /// All time first, then seasons, the newest first; in these by machine and event. Only what there is.
    package let bests: [Best]
    /// The newest first.
    package let unranked: [Unranked]
    /// In which anything was rowed, the newest first.
    package let seasons: [Season]

    package init(_ pieces: [PieceFigures]) {
        let ordered = pieces.sorted { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }
        var found: [Key: Best] = [:]
        for piece in ordered {
            let season = piece.season
            for event in RankedEvent.all {
                let (ranked, effort) = (piece.ranked(over: event), piece.effort(over: event))
                guard ranked != nil || effort != nil else { continue }
                for season in [nil, season] {
                    let key = Key(season: season, machine: piece.machine, event: event)
                    var best =
                        found[key]
                        ?? Best(machine: piece.machine, event: event, season: season)
                    best.ranked = Self.better(best.ranked, ranked)
                    best.effort = Self.better(best.effort, effort)
                    found[key] = best
                }
            }
        }
        bests = found.sorted { $0.key.order < $1.key.order }.map(\.value)
        unranked = ordered.reversed().lazy.compactMap(Unranked.init)
            .prefix(Self.mostUnranked).map { $0 }
        seasons = Set(pieces.map(\.season)).sorted(by: >)
    }

    /// The faster one; of two that are alike the earlier, which comes first.
    private static func better(_ first: RowedFigure?, _ next: RowedFigure?) -> RowedFigure? {
        guard let first, let next else { return first ?? next }
        return next.isFaster(than: first) ? next : first
    }

    private struct Key: Hashable {
        let season: Season?
        let machine: MachineKind
        let event: RankedEvent

        var order: (Int64, MachineKind, Int) {
            (season.map { -$0.year } ?? .min, machine, event.rank)
        }
    }
}

extension AthleteBests.Unranked {
    fileprivate init?(_ piece: PieceFigures) {
        guard let event = piece.preset, !piece.faults.isEmpty else { return nil }
        self.init(
            name: piece.name, machine: piece.machine, event: event, startedAt: piece.startedAt,
            faults: piece.faults)
    }
}

extension AthleteBests {
    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.list("bests", of: bests) { json, best in
            json.field("season", best.season?.year)
            json.field("machine", best.machine.rawValue)
            json.field("event", best.event.word)
            best.event.write(into: &json)
            for (key, figure) in [("ranked" as StaticString, best.ranked), ("effort", best.effort)]
            {
                guard let figure else { continue }
                json.object(key) { figure.write(into: &$0) }
            }
        }
        json.list("not_ranked", of: unranked) { json, piece in
            piece.name.write(into: &json)
            json.field("machine", piece.machine.rawValue)
            json.field("event", piece.event.word)
            json.field("at_ms", piece.startedAt)
            json.field("reasons", piece.faults.map(\.rawValue))
        }
        json.key("seasons")
        json.beginArray()
        for season in seasons { json.value(season.year) }
        json.endArray()
    }
}
