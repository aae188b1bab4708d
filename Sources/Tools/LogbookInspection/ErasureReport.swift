import Bytes
import CommandLineText
import LogbookStores

/// What was erased of an athlete, and what has to be done elsewhere.
package struct ErasureReport: Equatable, Sendable {
    private let outcome: StoreErasure.Outcome
    private let athlete: String

    package init(_ outcome: StoreErasure.Outcome, of athlete: String) {
        (self.outcome, self.athlete) = (outcome, athlete)
    }

    private static let beyondReach = [
        "backups of the store, and stores that a restore has put aside",
        "files that were exported, and what others read over HTTP",
        "the archive and the write-ahead log of a PostgreSQL server, and spare blocks of a medium",
        "what the broker, its queues and its retained messages hold",
        "the system's journal",
        "what a logbook that runs has in memory, until it is restarted",
        "a token of theirs, which rowgate-logbook token remove takes back",
    ]

    /// The outcome first, then what is left to do.
    package var lines: [StyledLine] {
        var lines = [
            StyledLine("ERASED", .good)
                + StyledLine(
                    ": \(outcome.records.counted("record")) of "
                        + "\(outcome.sessions.counted("session"))")
        ]
        if outcome.acknowledgements > 0 {
            let count = outcome.acknowledgements.counted("alert")
            lines.append(StyledLine("kept without the name of who had seen it: \(count) of others"))
        }
        lines += [StyledLine(), StyledLine("At each gateway, as it has them too:", .heading)]
        lines += commands.map { StyledLine("  " + $0) }
        lines += [StyledLine(), StyledLine("Not reached:", .heading)]
        return lines + Self.beyondReach.map { StyledLine("  " + $0) }
    }

    private var commands: [String] {
        let command = "sudo rowgatectl athlete forget \(athlete) --yes"
        if outcome.gateways.isEmpty { return [command] }
        return outcome.gateways.map { "\($0): \(command)" }
    }

    /// One object, for programs.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.field("records", outcome.records)
        json.field("sessions", outcome.sessions)
        json.field("acknowledgements", outcome.acknowledgements)
        json.field("gateways", outcome.gateways.map(\.slug))
        json.field("beyond_reach", Self.beyondReach)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
