import Bests
import Bytes
import CommandLineText
import People
import Timeline

/// An athlete's bests, for people and programs.
package struct BestsTable: Sendable {
    private let athlete: String
    private let bests: AthleteBests
    private let season: Season?
    private let names: AthleteNames
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - season: the season shown to people; nil for all time.
    ///   - names: for the output for people.
    ///   - calendar: the club's calendar, for days in the output for people.
    package init(
        _ bests: AthleteBests, of athlete: String, in season: Season? = nil, names: AthleteNames = .init(),
        calendar: ClubCalendar
    ) {
        self.calendar = calendar
        self.athlete = athlete
        self.names = names
        self.bests = bests
        self.season = season
    }

    /// Output for people.
    package var lines: [StyledLine] {
        let span = season.map { "season \($0.year)" } ?? "all time"
        var lines = [StyledLine("\(names[athlete]), \(span)", .heading)]
        let shown = bests.bests.filter { $0.season == season }
        lines += shown.isEmpty ? [StyledLine("no results over ranked events", .faint)] : table(shown)
        let unranked = bests.unranked.filter { piece in
            season.map { $0 == Season(of: calendar.day(of: piece.startedAt)) } ?? true
        }
        guard !unranked.isEmpty else { return lines }
        return lines + [StyledLine(), StyledLine("Not ranked", .heading)] + table(unranked)
    }

    private func table(_ bests: [AthleteBests.Best]) -> [StyledLine] {
        var table = TextTable([
            ("MACHINE", .leading), ("EVENT", .leading), ("RANKED", .trailing), ("ON", .leading),
            ("SESSION", .leading), ("EFFORT", .trailing), ("ON", .leading), ("SESSION", .leading),
        ])
        for best in bests {
            var cells: [StyledLine?] = [
                StyledLine(best.machine.rawValue), StyledLine(best.event.wireName),
            ]
            for (figure, tint) in [(best.ranked, Tint.good), (best.effort, .plain)] {
                cells += [
                    figure.map { StyledLine($0.text(over: best.event), tint) },
                    figure.map { StyledLine(calendar.day(of: $0.date).text) },
                    figure?.inputs.first.map { StyledLine($0.session, .faint) },
                ]
            }
            table.add(cells)
        }
        return table.lines
    }

    private func table(_ pieces: [AthleteBests.Unranked]) -> [StyledLine] {
        var table = TextTable([
            ("MACHINE", .leading), ("EVENT", .leading), ("ON", .leading), ("SESSION", .leading),
            ("REASON", .leading),
        ])
        for piece in pieces {
            let faults = piece.faults.map(\.label).joined(separator: ", ")
            table.add([
                StyledLine(piece.machine.rawValue), StyledLine(piece.event.wireName),
                StyledLine(calendar.day(of: piece.startedAt).text),
                StyledLine(piece.name.session, .faint),
                StyledLine(faults, .warning),
            ])
        }
        return table.lines
    }

    /// JSON object for programs, as in the HTTP interface, with the athlete's slug.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.field("athlete_id", athlete)
            bests.write(into: &json)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RankingFault {
    /// The reason in a table.
    fileprivate var label: String {
        switch self {
        case .incomplete: "not completed"
        case .gap: "gap in the data"
        case .notVerified: "records are missing or differ"
        case .monitorDiffers: "not confirmed by the monitor"
        case .rollingStart: "rolling start"
        }
    }
}

extension BestsTable {
    /// The tables of several athletes, separated by empty lines.
    package static func lines(_ tables: [BestsTable]) -> [StyledLine] {
        if tables.isEmpty { return [StyledLine("no athletes", .faint)] }
        return Array(tables.map(\.lines).joined(separator: [StyledLine()]))
    }

    /// One object if a single athlete was requested; otherwise an array.
    package static func json(_ tables: [BestsTable], isOne: Bool) -> String {
        isOne ? tables.map(\.json).joined() : "[" + tables.map(\.json).joined(separator: ",") + "]"
    }
}
