import Bests
import Bytes
import CommandLineText
import Timeline

/// The record list of the club for people and programs.
package struct RecordsTable: Sendable {
    private let records: ClubRecords
    private let season: Season?
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - season: whose records are shown to people; nil for those of all time.
    ///   - calendar: of the club, whose days are shown to people.
    package init(_ records: ClubRecords, in season: Season? = nil, calendar: ClubCalendar) {
        (self.records, self.season, self.calendar) = (records, season, calendar)
    }

    /// For people.
    package var lines: [StyledLine] {
        let span = season.map { "season \($0.year)" } ?? "all time"
        let shown = records.records.filter { $0.season == season }
        let heading = StyledLine("club records, \(span)", .heading)
        if shown.isEmpty { return [heading, StyledLine("no ranked result", .faint)] }
        var table = TextTable([
            ("MACHINE", .leading), ("EVENT", .leading), ("RANKED", .trailing),
            ("ATHLETE", .leading), ("ON", .leading), ("SESSION", .leading),
        ])
        for record in shown {
            table.add([
                StyledLine(record.machine.rawValue), StyledLine(record.event.word),
                StyledLine(record.figure.text(over: record.event), .good),
                StyledLine(record.athlete),
                StyledLine(calendar.day(of: record.figure.date).text),
                record.figure.inputs.first.map { StyledLine($0.session, .faint) },
            ])
        }
        return [heading] + table.lines
    }

    /// An object, for programs: as the interface tells it, all seasons included.
    package var json: String {
        String(decoding: JSONWriter.object(records.write), as: UTF8.self)
    }
}

extension RowedFigure {
    /// A time over a distance, metres in a time.
    func text(over event: RankedEvent) -> String {
        switch event {
        case .metres: ReadableFigures.time(Double(centiseconds) / 100)
        case .seconds: ReadableFigures.units(Double(decimetres) / 10, "m")
        }
    }
}
