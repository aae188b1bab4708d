import Bytes

/// The record list of a club: who of all its athletes rowed each event fastest, of all time and in each
/// season. Ranked results alone: a stretch within another piece is no record.
///
/// A function of sets of sessions: neither the order of athletes nor that of sessions matters.
package struct ClubRecords: Equatable, Sendable {
    package struct Record: Equatable, Sendable {
        package let machine: MachineKind
        package let event: RankedEvent
        /// nil for all time.
        package let season: Season?
        /// Their slug.
        package let athlete: String
        package let figure: RowedFigure
    }

    /// All time first, then seasons, the newest first; in these by machine and event. Only what there is.
    package let records: [Record]

    /// - Parameter athletes: by their slugs.
    package init(_ athletes: [String: AthleteBests]) {
        var found: [Place: Record] = [:]
        // Of two that are alike the earlier stays, and of the same moment the first by name.
        for (athlete, bests) in athletes.sorted(by: { $0.key < $1.key }) {
            for best in bests.bests {
                guard let figure = best.ranked else { continue }
                let place = Place(machine: best.machine, event: best.event, season: best.season)
                if let known = found[place]?.figure, !figure.takesPlace(of: known) { continue }
                found[place] = Record(
                    machine: best.machine, event: best.event, season: best.season,
                    athlete: athlete, figure: figure)
            }
        }
        records = found.sorted { $0.key.order < $1.key.order }.map(\.value)
    }

    private struct Place: Hashable {
        let machine: MachineKind
        let event: RankedEvent
        let season: Season?

        var order: (Int64, MachineKind, Int) { (-(season?.year ?? .max), machine, event.rank) }
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.list("records", of: records) { json, record in
            json.field("season", record.season?.year)
            json.field("machine", record.machine.rawValue)
            json.field("event", record.event.word)
            record.event.write(into: &json)
            json.field("athlete_id", record.athlete)
            json.object("ranked") { record.figure.write(into: &$0) }
        }
    }
}

extension RowedFigure {
    fileprivate func takesPlace(of known: RowedFigure) -> Bool {
        isFaster(than: known) || (!known.isFaster(than: self) && date < known.date)
    }
}
