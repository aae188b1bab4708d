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
    ///   - athletes: the id and the profile of each athlete, and the positions of the athlete's sessions.
    ///   - season: the season whose records are listed besides those of all time.
    package init(
        _ sessions: [ClubSession],
        of athletes: [(id: String, profile: AthleteProfile?, positions: [Int])], in season: Season
    ) {
        var found: [Key: (athlete: String, position: Int, score: ClubSession.Score)] = [:]
        for athlete in athletes {
            for position in athlete.positions {
                guard let event = sessions[position].ranked?.event, let score = sessions[position].score
                else { continue }
                let day = sessions[position].day
                let scopes = Season(of: day) == season ? [nil, season] : [nil]
                for scope in scopes {
                    let key = Key(
                        season: scope, category: ResultCategory(athlete.profile, on: day),
                        machine: sessions[position].machine ?? .rower, event: event)
                    // Of equal results at the same instant, that of the athlete who sorts first is the record.
                    if let known = found[key], !score.replaces(known.score),
                        known.score.replaces(score) || known.athlete <= athlete.id
                    {
                        continue
                    }
                    found[key] = (athlete.id, position, score)
                }
            }
        }
        records = found.sorted { $0.key.order < $1.key.order }.compactMap { key, best in
            sessions[best.position].result.map { result in
                Record(
                    category: key.category, machine: key.machine, event: key.event, season: key.season,
                    athlete: best.athlete, result: result)
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
