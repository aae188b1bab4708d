import Bytes
import CommandLineText
import LogbookStores
import Timeline

/// The athletes of all sessions, for people and programs.
package struct AthleteTable: Sendable {
    private let athletes: [StoredAthlete]
    private let calendar: ClubCalendar

    /// - Parameter calendar: the club's calendar, for days in the output for people.
    package init(_ athletes: [StoredAthlete], calendar: ClubCalendar) {
        (self.athletes, self.calendar) = (athletes, calendar)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        if athletes.isEmpty { return [StyledLine("no athletes", .faint)] }
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

    /// JSON array for programs, as in the HTTP interface.
    package var json: String {
        var json = JSONWriter()
        json.beginArray()
        for athlete in athletes { json.object(athlete.write) }
        json.endArray()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
