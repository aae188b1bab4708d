import Bests
import Bytes
import CommandLineText
import People
import Timeline

/// The club's records, for people and programs.
package struct RecordsTable: Sendable {
    private let records: ClubRecords
    private let season: Season?
    private let names: AthleteNames
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - season: the season shown to people; nil for all time.
    ///   - names: for the output for people.
    ///   - calendar: the club's calendar, for days in the output for people.
    package init(
        _ records: ClubRecords, in season: Season? = nil, names: AthleteNames = .init(),
        calendar: ClubCalendar
    ) {
        (self.records, self.season, self.names, self.calendar) = (records, season, names, calendar)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        let span = season.map { "season \($0.year)" } ?? "all time"
        let shown = records.records.filter { $0.season == season }
        let heading = StyledLine("club records, \(span)", .heading)
        if shown.isEmpty { return [heading, StyledLine("no ranked results", .faint)] }
        var table = TextTable([
            ("MACHINE", .leading), ("EVENT", .leading), ("RANKED", .trailing),
            ("ATHLETE", .leading), ("ON", .leading), ("SESSION", .leading),
        ])
        for record in shown {
            table.add([
                StyledLine(record.machine.rawValue), StyledLine(record.event.wireName),
                StyledLine(record.figure.text(over: record.event), .good),
                StyledLine(names[record.athlete]),
                StyledLine(calendar.day(of: record.figure.date).text),
                record.figure.inputs.first.map { StyledLine($0.session, .faint) },
            ])
        }
        return [heading] + table.lines
    }

    /// JSON object for programs, as in the HTTP interface, including all seasons.
    package var json: String {
        String(decoding: JSONWriter.object(records.write), as: UTF8.self)
    }
}

extension EventResult {
    /// A time for a distance event, metres for a timed one.
    func text(over event: RankedEvent) -> String {
        switch event {
        case .metres: ValueFormatter.time(Double(centiseconds) / 100)
        case .seconds: ValueFormatter.units(Double(decimetres) / 10, "m")
        }
    }
}
