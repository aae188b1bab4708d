import Bytes
import CommandLineText
import LogbookStores
import People
import Timeline

/// Sessions, for people and programs, in the order of the store: newest first.
package struct SessionListing: Sendable {
    private let sessions: [StoredSession]
    private let names: AthleteNames
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - names: for the output for people.
    ///   - calendar: the club's calendar, for times in the output for people.
    package init(_ sessions: [StoredSession], names: AthleteNames = .init(), calendar: ClubCalendar) {
        (self.sessions, self.names, self.calendar) = (sessions, names, calendar)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        if sessions.isEmpty { return [StyledLine("no sessions", .faint)] }
        // Records of older gateways do not name the machine.
        let hasMachines = sessions.contains { $0.machineType != nil }
        var columns: [(title: String, alignment: TextTable.Alignment)] = [
            ("STARTED (\(calendar.name))", .leading), ("GATEWAY", .leading), ("ERG", .leading),
            ("ATHLETE", .leading), ("WORKOUT", .leading), ("DISTANCE", .trailing),
            ("TIME", .trailing), ("STROKES", .trailing), ("RECORDS", .leading),
            ("SESSION", .leading),
        ]
        if hasMachines { columns.insert(("MACHINE", .leading), at: 4) }
        var table = TextTable(columns)
        for session in sessions {
            var cells: [StyledLine?] = [
                StyledLine(calendar.minute(of: session.startedAt ?? session.firstAt)),
                StyledLine(session.name.gateway.slug), StyledLine(session.station.slug),
                session.athlete.map { StyledLine(names[$0]) }, session.workout.map { StyledLine($0) },
                session.distance.map { StyledLine(ValueFormatter.units($0, "m")) },
                session.resultTime.map { StyledLine(ValueFormatter.time($0)) },
                session.strokesCell,
                StyledLine(session.state.rawValue, session.state.tint),
                StyledLine(session.name.session, .faint),
            ]
            if hasMachines {
                cells.insert(session.machineType.map { StyledLine($0) }, at: 4)
            }
            table.add(cells)
        }
        return table.lines
    }

    /// JSON array for programs, with the contract's names and `state`.
    package var json: String {
        String(decoding: JSONWriter.list(of: sessions) { $1.write(into: &$0) }, as: UTF8.self)
    }
}

extension StoredSession {
    /// `240`, or `240 + 1 foreign`.
    fileprivate var strokesCell: StyledLine {
        let own = StyledLine("\(strokes)")
        return foreignStrokes == 0
            ? own : own + StyledLine(" + \(foreignStrokes) foreign", .warning)
    }
}

extension SessionState {
    fileprivate var tint: Tint {
        switch self {
        case .open: .plain
        case .verified: .good
        case .missing: .warning
        case .gone, .differs: .bad
        }
    }
}
