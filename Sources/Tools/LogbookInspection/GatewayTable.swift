import Bytes
import CommandLineText
import LogbookStores
import Timeline

/// Gateways for people and programs, as the store knows them: what is here of each, and what it last
/// said of itself.
package struct GatewayTable: Sendable {
    private let gateways: [GatewayAccount]
    private let sharers: [StoreSharer]
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - sharers: the logbooks that share the store, if several do.
    ///   - calendar: of the club, whose time is shown to people.
    package init(
        _ gateways: [GatewayAccount], sharers: [StoreSharer] = [], calendar: ClubCalendar
    ) {
        self.calendar = calendar
        (self.gateways, self.sharers) = (gateways, sharers)
    }

    /// For people, below the table what is wrong and who keeps whose records.
    package var lines: [StyledLine] {
        if gateways.isEmpty { return [StyledLine("no gateway has been heard of", .faint)] }
        var table = TextTable([
            ("GATEWAY", .leading), ("VERSION", .leading), ("LAST SAID", .leading),
            ("HEARD (\(calendar.name))", .leading), ("STREAMS", .trailing), ("RECORDS", .trailing),
            ("OWED", .trailing), ("LOST", .trailing), ("CERTIFICATE", .leading),
        ])
        for gateway in gateways {
            let lost = gateway.gone + gateway.refused + gateway.declared
            table.add([
                StyledLine(gateway.gateway.slug),
                gateway.fields(of: .birth)?.text("version").map { StyledLine($0.printable) },
                gateway.said, gateway.heardAt.map { StyledLine(calendar.minute(of: $0)) },
                StyledLine("\(gateway.streams)"), StyledLine("\(gateway.stored)"),
                gateway.owed == 0 ? nil : StyledLine("\(gateway.owed)", .warning),
                lost == 0 ? nil : StyledLine("\(lost)", .bad), gateway.certificate(in: calendar),
            ])
        }
        let reasons = gateways.flatMap { gateway in
            gateway.reasons.map { StyledLine("\(gateway.gateway): \($0.printable)", .warning) }
        }
        let refusals = gateways.flatMap { gateway in
            gateway.refusals.map { refusal in
                StyledLine(
                    "\(gateway.gateway): refused \(refusal.times) times, because "
                        + "\(refusal.reason.printable); last \(calendar.minute(of: refusal.lastAt))",
                    .warning)
            }
        }
        let sharing = LogbookCheckup.sharing(sharers, gateways.map(\.gateway)).map { line in
            StyledLine(line.text, line.level == .ok ? .plain : .warning)
        }
        return table.lines
            + [reasons, refusals, sharing].filter { !$0.isEmpty }.flatMap { [StyledLine()] + $0 }
    }

    /// An array, for programs: as the interface tells them, but for what the broker alone knows; with who
    /// keeps the records of each, where logbooks share the store.
    package var json: String {
        var json = JSONWriter()
        json.beginArray()
        for gateway in gateways {
            json.object { json in
                json.field("gw", gateway.gateway.slug)
                json.field("heard_ms", gateway.heardAt)
                gateway.writeWords(into: &json)
                gateway.writeCounts(into: &json)
                if let keeper = sharers.first(where: { $0.parts.contains(gateway.gateway) }) {
                    json.object("kept_by") { keeper.write(into: &$0) }
                }
            }
        }
        json.endArray()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension GatewayAccount {
    /// `online, degraded`; nil where it said nothing.
    fileprivate var said: StyledLine? {
        let status = fields(of: .health)?.text("status")
        let isOffline = words[.availability]?.payload == Array(#""offline""#.utf8)
        let words = [
            words[.availability].map { _ in isOffline ? "offline" : "online" }, status?.printable,
        ]
        .compactMap(\.self).joined(separator: ", ")
        if words.isEmpty { return nil }
        let tint: Tint = status == "failed" ? .bad : isOffline || status != "ok" ? .warning : .good
        return StyledLine(words, tint)
    }

    /// `until 2026-12-04`: the broker's or its own, whichever ends first; nil where it told none.
    fileprivate func certificate(in calendar: ClubCalendar) -> StyledLine? {
        let health = fields(of: .health)
        let ends = ["broker_certificate_end_ms", "own_certificate_end_ms"]
            .compactMap { health?.number($0).flatMap { Int64(exactly: $0) } }
        return ends.min().map { StyledLine("until \(calendar.day(of: $0).text)") }
    }

    /// Characters; a gateway's own reasons are shorter.
    private static var longestReason: Int { 1000 }

    /// Why it was not `ok`, in its own words.
    fileprivate var reasons: [String] {
        guard case .list(let reasons)? = fields(of: .health)?["reasons"] else { return [] }
        return reasons.prefix(20).compactMap { reason in
            if case .text(let text) = reason { text.shortened(to: Self.longestReason) } else { nil }
        }
    }
}

extension String {
    /// With spaces for what moves a terminal's cursor: whoever may publish writes this.
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
