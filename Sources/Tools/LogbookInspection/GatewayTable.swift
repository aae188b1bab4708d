import Bytes
import CommandLineText
import LogbookStores
import Timeline

/// Gateways for people and programs, as the store knows them: what is here of each, and what it last
/// said of itself.
package struct GatewayTable: Sendable {
    private let gateways: [GatewayAccount]
    private let sharers: [StoreSharer]

    /// - Parameter sharers: the logbooks that share the store, if several do.
    package init(_ gateways: [GatewayAccount], sharers: [StoreSharer] = []) {
        (self.gateways, self.sharers) = (gateways, sharers)
    }

    /// For people, below the table what is wrong and who keeps whose records; times are UTC.
    package var lines: [StyledLine] {
        if gateways.isEmpty { return [StyledLine("no gateway has been heard of", .faint)] }
        var table = TextTable([
            ("GATEWAY", .leading), ("VERSION", .leading), ("LAST SAID", .leading),
            ("HEARD (UTC)", .leading), ("STREAMS", .trailing), ("RECORDS", .trailing),
            ("OWED", .trailing), ("LOST", .trailing), ("CERTIFICATE", .leading),
        ])
        for gateway in gateways {
            let lost = gateway.gone + gateway.refused + gateway.declared
            table.add([
                StyledLine(gateway.gateway.slug),
                gateway.fields(of: .birth)?.text("version").map { StyledLine($0.printable) },
                gateway.said, gateway.heardAt.map { StyledLine(Self.minute($0)) },
                StyledLine("\(gateway.streams)"), StyledLine("\(gateway.stored)"),
                gateway.owed == 0 ? nil : StyledLine("\(gateway.owed)", .warning),
                lost == 0 ? nil : StyledLine("\(lost)", .bad), gateway.certificate,
            ])
        }
        let reasons = gateways.flatMap { gateway in
            gateway.reasons.map { StyledLine("\(gateway.gateway): \($0.printable)", .warning) }
        }
        let refusals = gateways.flatMap { gateway in
            gateway.refusals.map { refusal in
                StyledLine(
                    "\(gateway.gateway): refused \(refusal.times) times, because "
                        + "\(refusal.reason.printable); last \(Self.minute(refusal.lastAt))",
                    .warning)
            }
        }
        let sharing = LogbookCheckup.sharing(sharers, gateways.map(\.gateway)).map { line in
            StyledLine(line.text, line.level == .ok ? .plain : .warning)
        }
        return table.lines
            + [reasons, refusals, sharing].filter { !$0.isEmpty }.flatMap { [StyledLine()] + $0 }
    }

    /// `2026-09-05 17:04`.
    private static func minute(_ unixMilliseconds: Int64) -> String {
        let text = CivilTime(unixMilliseconds: unixMilliseconds).rfc3339
        return text.prefix(16).split(separator: "T").joined(separator: " ")
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
    fileprivate var certificate: StyledLine? {
        let health = fields(of: .health)
        let ends = ["broker_certificate_end_ms", "own_certificate_end_ms"]
            .compactMap { health?.number($0).flatMap { Int64(exactly: $0) } }
        return ends.min().map { StyledLine("until \(CivilTime(unixMilliseconds: $0).date)") }
    }

    /// Why it was not `ok`, in its own words.
    fileprivate var reasons: [String] {
        guard case .list(let reasons)? = fields(of: .health)?["reasons"] else { return [] }
        return reasons.prefix(20).compactMap { reason in
            if case .text(let text) = reason { String(text.prefix(300)) } else { nil }
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
