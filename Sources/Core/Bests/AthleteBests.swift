import Bytes

/// An athlete's best results over each event, of all time and of each season: ranked results, and
/// separately best efforts within pieces.
///
/// The value depends only on the set of sessions, not on their order. If a session is erased or corrected,
/// everything derived from it changes too.
package struct AthleteBests: Equatable, Sendable {
    /// The bests of one event on one kind of machine, in one season or of all time.
    package struct Best: Equatable, Sendable {
        package let machine: MachineKind
        package let event: RankedEvent
        /// nil for all time.
        package let season: Season?
        package fileprivate(set) var ranked: EventResult?
        package fileprivate(set) var effort: EventResult?
    }

    /// A piece that was set to an event but does not count as a ranked result.
    package struct Unranked: Equatable, Sendable {
        package let name: PieceName
        package let machine: MachineKind
        package let event: RankedEvent
        /// Unix milliseconds.
        package let startedAt: Int64
        package let faults: [RankingFault]
    }

    /// Maximum number of unranked pieces in the list; the newest are listed.
    package static let mostUnranked = 20

    /// All-time bests first, then seasons, newest first; within each sorted by machine and event. Events
    /// without a result are omitted.
    package let bests: [Best]
    /// Newest first.
    package let unranked: [Unranked]
    /// Seasons with at least one session, newest first.
    package let seasons: [Season]

    package init(_ pieces: [PieceMetrics]) {
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

    /// Returns the faster result; the earlier one if both are equally fast.
    private static func better(_ first: EventResult?, _ next: EventResult?) -> EventResult? {
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
    fileprivate init?(_ piece: PieceMetrics) {
        guard let event = piece.preset, !piece.faults.isEmpty else { return nil }
        self.init(
            name: piece.name, machine: piece.machine, event: event, startedAt: piece.startedAt,
            faults: piece.faults)
    }
}

extension AthleteBests {
    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.list("bests", of: bests) { json, best in
            json.field("season", best.season?.year)
            json.field("machine", best.machine.rawValue)
            json.field("event", best.event.wireName)
            best.event.write(into: &json)
            for (key, figure) in [("ranked" as StaticString, best.ranked), ("effort", best.effort)] {
                guard let figure else { continue }
                json.object(key) { figure.write(into: &$0) }
            }
        }
        json.list("not_ranked", of: unranked) { json, piece in
            piece.name.write(into: &json)
            json.field("machine", piece.machine.rawValue)
            json.field("event", piece.event.wireName)
            json.field("at_ms", piece.startedAt)
            json.field("reasons", piece.faults.map(\.rawValue))
        }
        json.key("seasons")
        json.beginArray()
        for season in seasons { json.value(season.year) }
        json.endArray()
    }
}
