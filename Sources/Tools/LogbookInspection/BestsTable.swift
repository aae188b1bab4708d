import Bests
import Bytes
import CommandLineText
import Timeline

/// An athlete's bests for people and programs.
package struct BestsTable: Sendable {
    private let athlete: String
    private let bests: AthleteBests
    private let season: Season?
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - season: whose bests are shown; nil for those of all time.
    ///   - calendar: of the club, whose days are shown to people.
    package init(
        _ bests: AthleteBests, of athlete: String, in season: Season? = nil, calendar: ClubCalendar
    ) {
        self.calendar = calendar
        self.athlete = athlete
        self.bests = bests
        self.season = season
    }

    /// For people.
    package var lines: [StyledLine] {
        let span = season.map { "season \($0.year)" } ?? "all time"
        var lines = [StyledLine("\(athlete), \(span)", .heading)]
        let shown = bests.bests.filter { $0.season == season }
        lines += shown.isEmpty ? [StyledLine("nothing over a ranked event", .faint)] : table(shown)
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
                StyledLine(best.machine.rawValue), StyledLine(best.event.word),
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
            ("BECAUSE", .leading),
        ])
        for piece in pieces {
            let faults = piece.faults.map(\.words).joined(separator: ", ")
            table.add([
                StyledLine(piece.machine.rawValue), StyledLine(piece.event.word),
                StyledLine(calendar.day(of: piece.startedAt).text),
                StyledLine(piece.name.session, .faint),
                StyledLine(faults, .warning),
            ])
        }
        return table.lines
    }

    /// An object, for programs: as the interface tells it, with the athlete's slug.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.field("athlete_id", athlete)
            bests.write(into: &json)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RankingFault {
    /// As a reason in a table.
    fileprivate var words: String {
        switch self {
        case .incomplete: "not rowed to its end"
        case .gap: "some of it was not heard"
        case .notVerified: "records are missing or differ"
        case .monitorDiffers: "not confirmed by the monitor"
        case .rollingStart: "no standing start"
        }
    }
}

extension BestsTable {
    /// Of several athletes, with an empty line between them.
    package static func lines(_ tables: [BestsTable]) -> [StyledLine] {
        if tables.isEmpty { return [StyledLine("no session names an athlete", .faint)] }
        return Array(tables.map(\.lines).joined(separator: [StyledLine()]))
    }

    /// An object of the one that was asked for; an array of everybody's.
    package static func json(_ tables: [BestsTable], isOne: Bool) -> String {
        isOne ? tables.map(\.json).joined() : "[" + tables.map(\.json).joined(separator: ",") + "]"
    }
}
