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
        var found: [Key: Record] = [:]
        for session in sessions {
            guard let ranked = session.ranked else { continue }
            let category = ResultCategory(profiles[session.athlete], on: session.day)
            let scopes = Season(of: session.day) == season ? [nil, season] : [nil]
            for scope in scopes {
                let record = Record(
                    category: category, machine: session.machine, event: ranked.event, season: scope,
                    athlete: session.athlete, result: ranked.result)
                let key = Key(record)
                if let known = found[key], !record.replaces(known) { continue }
                found[key] = record
            }
        }
        records = found.sorted { $0.key.order < $1.key.order }.map(\.value)
    }

    private struct Key: Hashable {
        let season: Season?
        let category: ResultCategory
        let machine: MachineKind
        let event: RankedEvent

        init(_ record: Record) {
            (season, category) = (record.season, record.category)
            (machine, event) = (record.machine, record.event)
        }

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

extension CategoryRecords.Record {
    /// Of equal results at the same instant, that of the athlete who sorts first is the record.
    fileprivate func replaces(_ known: Self) -> Bool {
        if result.replaces(known.result) { return true }
        return !known.result.replaces(result) && athlete < known.athlete
    }
}
