import Bytes
import CommandLineText
import Contract
import LogbookStores

/// What was erased of an athlete, and what has to be done elsewhere.
package struct ErasureReport: Equatable, Sendable {
    private let outcome: StoreErasure.Outcome
    private let athlete: String
    private let gateways: [GatewayID]
    private let areAsked: Bool

    /// - Parameters:
    ///   - gateways: all that the store has something of.
    ///   - areAsked: whether a logbook that runs asks them.
    package init(
        _ outcome: StoreErasure.Outcome, of athlete: String, gateways: [GatewayID], areAsked: Bool
    ) {
        (self.outcome, self.athlete) = (outcome, athlete)
        (self.gateways, self.areAsked) = (gateways, areAsked)
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
        if areAsked, !gateways.isEmpty {
            lines += [
                StyledLine(),
                StyledLine(
                    "Asked as soon as they are there, which rowgate-logbook athlete erasures tells:",
                    .heading),
                StyledLine("  " + gateways.map(\.slug).joined(separator: ", ")),
                StyledLine(),
                StyledLine("At one whose [commands] forget is false, or that is older:", .heading),
                StyledLine("  " + command),
            ]
        } else {
            lines += [StyledLine(), StyledLine("At each gateway, as it has them too:", .heading)]
            lines += commands.map { StyledLine("  " + $0) }
        }
        lines += [StyledLine(), StyledLine("Not reached:", .heading)]
        return lines + Self.beyondReach.map { StyledLine("  " + $0) }
    }

    private var command: String { "sudo rowgatectl athlete forget \(athlete) --yes" }

    private var commands: [String] {
        gateways.isEmpty ? [command] : gateways.map { "\($0): \(command)" }
    }

    /// One object, for programs.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.field("records", outcome.records)
        json.field("sessions", outcome.sessions)
        json.field("acknowledgements", outcome.acknowledgements)
        json.field("gateways", outcome.gateways.map(\.slug))
        json.field("asked", areAsked ? gateways.map(\.slug) : [])
        json.field("beyond_reach", Self.beyondReach)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
