import Bytes
import CommandLineText
import LogbookStores
import Timeline

/// The gateways in the store, for people and programs: their record counts and last status.
package struct GatewayTable: Sendable {
    private let gateways: [GatewaySummary]
    private let sharers: [StoreSharer]
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - sharers: the logbooks that share the store, if there are several.
    ///   - calendar: the club's calendar, for times in the output for people.
    package init(
        _ gateways: [GatewaySummary], sharers: [StoreSharer] = [], calendar: ClubCalendar
    ) {
        self.calendar = calendar
        (self.gateways, self.sharers) = (gateways, sharers)
    }

    /// Output for people: a table, followed by problems and by the owners of records.
    package var lines: [StyledLine] {
        if gateways.isEmpty { return [StyledLine("no gateways", .faint)] }
        var table = TextTable([
            ("GATEWAY", .leading), ("VERSION", .leading), ("STATUS", .leading),
            ("LAST SEEN (\(calendar.name))", .leading), ("STREAMS", .trailing), ("RECORDS", .trailing),
            ("PENDING", .trailing), ("LOST", .trailing), ("CERTIFICATE", .leading),
        ])
        for gateway in gateways {
            let lost = gateway.gone + gateway.refused + gateway.declared
            table.add([
                StyledLine(gateway.gateway.slug),
                gateway.fields(of: .birth)?.text("version").map { StyledLine($0.printable) },
                gateway.statusCell, gateway.reportedAt.map { StyledLine(calendar.minute(of: $0)) },
                StyledLine("\(gateway.streams)"), StyledLine("\(gateway.stored)"),
                gateway.pending == 0 ? nil : StyledLine("\(gateway.pending)", .warning),
                lost == 0 ? nil : StyledLine("\(lost)", .bad), gateway.certificate(in: calendar),
            ])
        }
        let reasons = gateways.flatMap { gateway in
            gateway.reasons.map { StyledLine("\(gateway.gateway): \($0.printable)", .warning) }
        }
        let refusals = gateways.flatMap { gateway in
            gateway.refusals.map { refusal in
                StyledLine(
                    "\(gateway.gateway): \(Int(clamping: refusal.times).counted("message")) refused because "
                        + "\(refusal.reason.printable); last at \(calendar.minute(of: refusal.lastAt))",
                    .warning)
            }
        }
        let sharing = LogbookCheckup.sharing(sharers, gateways.map(\.gateway)).map { line in
            StyledLine(line.text, line.level == .ok ? .plain : .warning)
        }
        return table.lines
            + [reasons, refusals, sharing].filter { !$0.isEmpty }.flatMap { [StyledLine()] + $0 }
    }

    /// JSON array for programs, as in the HTTP interface without live data from the broker; in a shared
    /// store with the owner of each gateway's records.
    package var json: String {
        let json = JSONWriter.list(of: gateways) { json, gateway in
            json.field("gw", gateway.gateway.slug)
            json.field("heard_ms", gateway.reportedAt)
            gateway.writeStatus(into: &json)
            gateway.writeCounts(into: &json)
            if let owner = sharers.first(where: { $0.shards.contains(gateway.gateway) }) {
                json.object("kept_by") { owner.write(into: &$0) }
            }
        }
        return String(decoding: json, as: UTF8.self)
    }
}

extension GatewaySummary {
    /// `online, degraded`; nil without a status message.
    fileprivate var statusCell: StyledLine? {
        let status = fields(of: .health)?.text("status")
        let isOffline = statusMessages[.availability]?.payload == Array(#""offline""#.utf8)
        let words = [
            statusMessages[.availability].map { _ in isOffline ? "offline" : "online" }, status?.printable,
        ]
        .compactMap(\.self).joined(separator: ", ")
        if words.isEmpty { return nil }
        let tint: Tint = status == "failed" ? .bad : isOffline || status != "ok" ? .warning : .good
        return StyledLine(words, tint)
    }

    /// `until 2026-12-04`: the earlier end of the broker's certificate and its own; nil if it reported
    /// none.
    fileprivate func certificate(in calendar: ClubCalendar) -> StyledLine? {
        let health = fields(of: .health)
        let ends = ["broker_certificate_end_ms", "own_certificate_end_ms"]
            .compactMap { health?.number($0).flatMap { Int64(exactly: $0) } }
        return ends.min().map { StyledLine("until \(calendar.day(of: $0).text)") }
    }

    /// Maximum characters; real reasons of a gateway are shorter.
    private static var longestReason: Int { 1000 }

    /// The gateway's reasons for a status other than `ok`.
    fileprivate var reasons: [String] {
        guard case .list(let reasons)? = fields(of: .health)?["reasons"] else { return [] }
        return reasons.prefix(20).compactMap { reason in
            if case .text(let text) = reason { text.shortened(to: Self.longestReason) } else { nil }
        }
    }
}

extension String {
    /// Replaces characters that control a terminal by spaces; any publisher could send them.
    fileprivate var printable: String {
        let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: " "
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
