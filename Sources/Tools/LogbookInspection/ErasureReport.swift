import Bytes
import CommandLineText
import Contract
import LogbookStores

/// The result of an erasure, and the remaining tasks.
package struct ErasureReport: Equatable, Sendable {
    private let outcome: StoreErasure.Outcome
    /// The athlete's id, and the ids that were merged into it.
    private let ids: [String]
    private let gateways: [GatewayID]
    private let areRequested: Bool

    /// - Parameters:
    ///   - mergedIDs: the ids that were merged into the athlete, which were erased too.
    ///   - gateways: all gateways with data in the store.
    ///   - areRequested: whether a running logbook will send requests to them.
    package init(
        _ outcome: StoreErasure.Outcome, of athlete: String, _ mergedIDs: [String] = [],
        gateways: [GatewayID], areRequested: Bool
    ) {
        (self.outcome, ids) = (outcome, [athlete] + mergedIDs)
        (self.gateways, self.areRequested) = (gateways, areRequested)
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

    /// The result first, then the remaining tasks.
    package var lines: [StyledLine] {
        var lines = [
            StyledLine("ERASED", .good)
                + StyledLine(
                    ": \(outcome.records.counted("record")) of "
                        + "\(outcome.sessions.counted("session"))")
        ]
        if outcome.acknowledgements > 0 {
            let count = outcome.acknowledgements.counted("alert")
            lines.append(StyledLine("acknowledger's name removed from \(count) of other athletes"))
        }
        if ids.count > 1 {
            lines.append(StyledLine("erased ids: \(ids.joined(separator: ", "))"))
        }
        if areRequested, !gateways.isEmpty {
            lines += [
                StyledLine(),
                StyledLine(
                    "Requested from these gateways once connected (see rowgate-logbook athlete erasures):",
                    .heading),
                StyledLine("  " + gateways.map(\.slug).joined(separator: ", ")),
                StyledLine(),
                StyledLine(
                    "If [commands] forget is false on a gateway, or its version is older, run there:",
                    .heading),
            ]
            lines += commands.map { StyledLine("  " + $0) }
        } else {
            lines += [StyledLine(), StyledLine("Run on each gateway, which has the records too:", .heading)]
            lines += commandsByGateway.map { StyledLine("  " + $0) }
        }
        lines += [StyledLine(), StyledLine("Not erased:", .heading)]
        return lines + Self.beyondReach.map { StyledLine("  " + $0) }
    }

    private var commands: [String] { ids.map { "sudo rowgatectl athlete forget \($0) --yes" } }

    private var commandsByGateway: [String] {
        gateways.isEmpty ? commands : gateways.flatMap { gateway in commands.map { "\(gateway): \($0)" } }
    }

    /// JSON object for programs.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.field("records", outcome.records)
        json.field("sessions", outcome.sessions)
        if ids.count > 1 { json.field("erased_ids", ids) }
        json.field("acknowledgements", outcome.acknowledgements)
        json.field("gateways", outcome.gateways.map(\.slug))
        json.field("asked", areRequested ? gateways.map(\.slug) : [])
        json.field("beyond_reach", Self.beyondReach)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
