import Bests
import Bytes
import People
import Timeline

/// The fastest ranked result of each category, of all time and in one season.
///
/// A category is a gender, an age group and a weight class. The value depends neither on the order of sessions nor on
/// that of athletes.
package struct CategoryRecords: Equatable, Sendable {
    package struct Record: Equatable, Sendable {
        package let category: ResultCategory
        package let machine: MachineKind
        package let event: RankedEvent
        /// nil for all time.
        package let season: Season?
        /// An athlete id.
        package let athlete: String
        package let result: EventResult
    }

    /// All time first; within it by category, machine and event.
    package let records: [Record]

    /// - Parameters:
    ///   - profiles: by athlete id.
    ///   - season: the season whose records are listed besides those of all time.
    package init(_ sessions: [ClubSession], by profiles: [String: AthleteProfile], in season: Season) {
        var found: [Key: ClubSession] = [:]
        for session in sessions {
            guard let ranked = session.ranked else { continue }
            let category = ResultCategory(profiles[session.athlete], on: session.day)
            let scopes = Season(of: session.day) == season ? [nil, season] : [nil]
            for scope in scopes {
                let key = Key(
                    season: scope, category: category, machine: session.machine, event: ranked.event)
                if let known = found[key], !session.replaces(known) { continue }
                found[key] = session
            }
        }
        records = found.sorted { $0.key.order < $1.key.order }.compactMap { key, session in
            session.ranked.map { ranked in
                Record(
                    category: key.category, machine: key.machine, event: key.event, season: key.season,
                    athlete: session.athlete, result: ranked.result)
            }
        }
    }

    private struct Key: Hashable {
        let season: Season?
        let category: ResultCategory
        let machine: MachineKind
        let event: RankedEvent

        var order: (Int64, ResultCategory, MachineKind, Int) {
            (season?.year ?? 0, category, machine, event.rank)
        }
    }

    /// Writes the member `records` into an open object.
    package func write(into json: inout JSONWriter) {
        json.list("records", of: records) { json, record in
            json.field("season", record.season?.year)
            json.field("gender", record.category.gender?.rawValue)
            if let ages = record.category.ageGroup {
                json.field("age_from", ages.from)
                json.field("age_to", ages.to)
            }
            json.field("weight_class", record.category.weightClass?.rawValue)
            json.field("machine", record.machine.rawValue)
            json.field("event", record.event.wireName)
            record.event.write(into: &json)
            json.field("athlete_id", record.athlete)
            json.object("ranked") { record.result.write(into: &$0) }
        }
    }
}

extension ClubSession {
    /// Of equal results at the same instant, that of the athlete who sorts first is the record.
    fileprivate func replaces(_ known: Self) -> Bool {
        guard let ranked, let other = known.ranked else { return false }
        return ranked.replaces(other) || (!other.replaces(ranked) && athlete < known.athlete)
    }
}
