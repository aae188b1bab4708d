import Bytes
import CommandLineText
import People
import Timeline

/// The athletes of the club, for people and programs.
package struct AthleteTable: Sendable {
    private let athletes: [ClubAthlete]
    private let calendar: ClubCalendar

    /// - Parameter calendar: the club's calendar, for days in the output for people.
    package init(_ athletes: [ClubAthlete], calendar: ClubCalendar) {
        (self.athletes, self.calendar) = (athletes, calendar)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        if athletes.isEmpty { return [StyledLine("no athletes", .faint)] }
        var table = TextTable([
            ("ATHLETE", .leading), ("NAME", .leading), ("SESSIONS", .trailing), ("FIRST", .leading),
            ("LAST", .leading),
        ])
        for athlete in athletes {
            let days = athlete.times.map { [$0.lowerBound, $0.upperBound] } ?? []
            let cells = days.map { calendar.day(of: $0).text }
            table.add(
                [
                    StyledLine(athlete.id), StyledLine(athlete.profile?.name ?? ""),
                    StyledLine("\(athlete.sessions)"),
                ] + (cells.isEmpty ? ["", ""] : cells).map { StyledLine($0) })
        }
        return table.lines
    }

    /// JSON array for programs, as in the HTTP interface.
    package var json: String {
        String(decoding: JSONWriter.list(of: athletes) { $1.write(into: &$0) }, as: UTF8.self)
    }

    /// JSON of one athlete.
    package static func json(of athlete: ClubAthlete) -> String {
        String(decoding: JSONWriter.object { athlete.write(into: &$0) }, as: UTF8.self)
    }
}

/// The groups of a club, for people and programs.
package struct GroupTable: Sendable {
    private let groups: [AthleteGroup]

    package init(_ groups: [AthleteGroup]) { self.groups = groups }

    /// Output for people.
    package var lines: [StyledLine] {
        if groups.isEmpty { return [StyledLine("no groups", .faint)] }
        var table = TextTable([("GROUP", .leading), ("NAME", .leading), ("ATHLETES", .leading)])
        for group in groups {
            table.add([
                StyledLine(group.id), StyledLine(group.name),
                StyledLine(group.members.joined(separator: ",")),
            ])
        }
        return table.lines
    }

    /// JSON array for programs, as in the HTTP interface.
    package var json: String {
        String(decoding: JSONWriter.list(of: groups) { $1.write(into: &$0) }, as: UTF8.self)
    }
}
