import Bytes

/// The club's records: the fastest athlete of each event, of all time and in each season. Only ranked
/// results count; a stretch within another piece is not a record.
///
/// The value depends neither on the order of athletes nor on that of sessions.
package struct ClubRecords: Equatable, Sendable {
    package struct Record: Equatable, Sendable {
        package let machine: MachineKind
        package let event: RankedEvent
        /// nil for all time.
        package let season: Season?
        /// The athlete's slug.
        package let athlete: String
        package let figure: EventResult
    }

    /// All-time records first, then seasons, newest first; within each sorted by machine and event. Events
    /// without a result are omitted.
    package let records: [Record]

    /// - Parameter athletes: bests by athlete slug.
    package init(_ athletes: [String: AthleteBests]) {
        var found: [RecordKey: Record] = [:]
        // Of equal results the earlier one stays; at the same instant, the athlete who sorts first.
        for (athlete, bests) in athletes.sorted(by: { $0.key < $1.key }) {
            for best in bests.bests {
                guard let figure = best.ranked else { continue }
                let key = RecordKey(machine: best.machine, event: best.event, season: best.season)
                if let known = found[key]?.figure, !figure.replaces(known) { continue }
                found[key] = Record(
                    machine: best.machine, event: best.event, season: best.season,
                    athlete: athlete, figure: figure)
            }
        }
        records = found.sorted { $0.key.order < $1.key.order }.map(\.value)
    }

    private struct RecordKey: Hashable {
        let machine: MachineKind
        let event: RankedEvent
        let season: Season?

        var order: (Int64, MachineKind, Int) { (-(season?.year ?? .max), machine, event.rank) }
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.list("records", of: records) { json, record in
            json.field("season", record.season?.year)
            json.field("machine", record.machine.rawValue)
            json.field("event", record.event.wireName)
            record.event.write(into: &json)
            json.field("athlete_id", record.athlete)
            json.object("ranked") { record.figure.write(into: &$0) }
        }
    }
}
