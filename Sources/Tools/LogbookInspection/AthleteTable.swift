import Bytes
import CommandLineText
import LogbookStores
import Timeline

/// Everybody whom a session names, for people and programs.
package struct AthleteTable: Sendable {
    private let athletes: [KeptAthlete]
    private let calendar: ClubCalendar

    /// - Parameter calendar: of the club, whose days are shown to people.
    package init(_ athletes: [KeptAthlete], calendar: ClubCalendar) {
        (self.athletes, self.calendar) = (athletes, calendar)
    }

    /// For people.
    package var lines: [StyledLine] {
        if athletes.isEmpty { return [StyledLine("no session names an athlete", .faint)] }
        var table = TextTable([
            ("ATHLETE", .leading), ("SESSIONS", .trailing), ("FIRST", .leading),
            ("LAST", .leading),
        ])
        for athlete in athletes {
            table.add([
                StyledLine(athlete.slug), StyledLine("\(athlete.sessions)"),
                StyledLine(calendar.day(of: athlete.firstAt).text),
                StyledLine(calendar.day(of: athlete.lastAt).text),
            ])
        }
        return table.lines
    }

    /// An array, for programs: as the interface tells them.
    package var json: String {
        var json = JSONWriter()
        json.beginArray()
        for athlete in athletes { json.object(athlete.write) }
        json.endArray()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
