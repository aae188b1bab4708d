import Bytes
import CommandLineText
import LogbookStores
import Timeline

/// Sessions for people and programs, as the store hands them over: the newest first.
package struct SessionTable: Sendable {
    private let sessions: [KeptSession]

    package init(_ sessions: [KeptSession]) { self.sessions = sessions }

    /// For people; times are UTC.
    package var lines: [StyledLine] {
        if sessions.isEmpty { return [StyledLine("no such session", .faint)] }
        var table = TextTable([
            ("STARTED (UTC)", .leading), ("GATEWAY", .leading), ("ERG", .leading),
            ("ATHLETE", .leading), ("WORKOUT", .leading), ("DISTANCE", .trailing),
            ("TIME", .trailing), ("STROKES", .trailing), ("RECORDS", .leading),
            ("SESSION", .leading),
        ])
        for session in sessions {
            table.add([
                StyledLine(Self.minute(session.startedAt ?? session.firstAt)),
                StyledLine(session.name.gateway.slug), StyledLine(session.station.slug),
                session.athlete.map { StyledLine($0) }, session.workout.map { StyledLine($0) },
                session.distance.map { StyledLine(ReadableFigures.units($0, "m")) },
                session.resultTime.map { StyledLine(ReadableFigures.clock($0)) },
                session.strokesCell,
                StyledLine(session.state.rawValue, session.state.tint),
                StyledLine(session.name.session, .faint),
            ])
        }
        return table.lines
    }

    /// `2026-09-05 17:04`.
    private static func minute(_ unixMilliseconds: Int64) -> String {
        let text = CivilTime(unixMilliseconds: unixMilliseconds).rfc3339
        return text.prefix(16).split(separator: "T").joined(separator: " ")
    }

    /// An array, for programs; the names are those of the contract, and `state` beside them.
    package var json: String {
        var json = JSONWriter()
        json.beginArray()
        for session in sessions { json.object(session.write) }
        json.endArray()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension KeptSession {
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
