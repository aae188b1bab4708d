import Bytes
import CommandLineText
import People
import Timeline

/// What a merge of two athlete ids did, would do, or what its undo did.
package struct MergeReport: Sendable {
    package enum Kind: Sendable { case preview, merged, undone }

    private let merge: AthleteMerge
    private let kind: Kind
    private let names: AthleteNames
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - names: the names of the athletes after the change.
    ///   - calendar: the club's calendar, for days in the output for people.
    package init(_ merge: AthleteMerge, _ kind: Kind, names: AthleteNames, calendar: ClubCalendar) {
        (self.merge, self.kind, self.names, self.calendar) = (merge, kind, names, calendar)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        let other = merge.name.map { "\($0) (\(merge.athlete))" } ?? merge.athlete
        let kept = names[merge.kept]
        let verb = merge.sessions == 1 ? "counts" : "count"
        let sessions = (merge.sessions ?? 0).counted("session")
        switch kind {
        case .undone:
            return [
                StyledLine("UNDONE", .good)
                    + StyledLine(": \(sessions) of \(other) no longer \(verb) for \(kept)")
            ]
        case .preview, .merged:
            let (title, action) =
                kind == .preview
                ? (StyledLine("NOT MERGED", .faint), "would count") : (StyledLine("MERGED", .good), verb)
            var lines = [title + StyledLine(": \(sessions) of \(other) \(action) for \(kept)")]
            if !merge.changedFields.isEmpty {
                let fields = merge.changedFields.map(\.rawValue).joined(separator: ", ")
                lines.append(StyledLine("changed details of \(kept): \(fields)"))
            }
            if let devices = merge.devices, devices > 0 {
                lines.append(StyledLine("\(devices.counted("device")) of \(other): signed in as \(kept)"))
            }
            if kind == .merged, let end = merge.undoUntil {
                lines.append(
                    StyledLine(
                        "undo until \(calendar.day(of: end).text): rowgate-logbook athlete unmerge "
                            + merge.athlete))
            }
            return lines
        }
    }

    /// JSON object for programs, as in the HTTP interface.
    package var json: String { String(decoding: JSONWriter.object(merge.write), as: UTF8.self) }
}

/// The merged athlete ids, for people and programs.
package struct MergeListing: Sendable {
    private let merges: [AthleteMerge]
    private let names: AthleteNames
    private let calendar: ClubCalendar

    /// - Parameter calendar: the club's calendar, for days in the output for people.
    package init(_ merges: [AthleteMerge], names: AthleteNames, calendar: ClubCalendar) {
        (self.merges, self.names, self.calendar) = (merges, names, calendar)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        if merges.isEmpty { return [StyledLine("no merges", .faint)] }
        var table = TextTable([
            ("MERGED", .leading), ("NAME", .leading), ("COUNTS FOR", .leading), ("ON", .leading),
            ("UNDO UNTIL", .leading),
        ])
        for merge in merges {
            table.add([
                StyledLine(merge.athlete), StyledLine(merge.name ?? ""), StyledLine(names[merge.current]),
                StyledLine(calendar.day(of: merge.mergedAt).text),
                StyledLine(merge.undoUntil.map { calendar.day(of: $0).text } ?? "\u{2013}"),
            ])
        }
        return table.lines
    }

    /// JSON array for programs, as in the HTTP interface.
    package var json: String {
        String(decoding: JSONWriter.list(of: merges) { $1.write(into: &$0) }, as: UTF8.self)
    }
}
