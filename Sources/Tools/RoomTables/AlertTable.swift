import CommandLineText
import ControlSocket

/// The active alerts, one line each.
package struct AlertTable: Sendable {
    /// No slug, so that no erg has it.
    private static let gateway = "(gateway)"

    /// Those with an alert, the gateway before its ergs.
    private let places: [(name: String, alerts: [StatusReply.Alert])]

    package init(_ status: StatusReply) {
        let all =
            [(name: Self.gateway, alerts: status.gateway.alerts)]
            + status.ergs.map { (name: $0.slug, alerts: $0.alerts) }
        places = all.filter { !$0.alerts.isEmpty }
    }

    /// The alerts in the order of the places, or that there is none.
    package var lines: [StyledLine] {
        guard !places.isEmpty else { return [StyledLine("no alert fires", .good)] }
        var table = TextTable([
            ("ERG", .leading), ("ALERT", .leading), ("FOR", .trailing), ("VALUE", .trailing),
            ("LIMIT", .trailing), ("SEEN", .leading), ("ID", .leading),
        ])
        for place in places {
            for alert in place.alerts {
                table.add([
                    StyledLine(place.name), alert.text,
                    StyledLine(ValueFormatter.span(alert.ageSeconds)),
                    alert.value.map { StyledLine(ValueFormatter.tenths($0)) },
                    alert.threshold.map { StyledLine(ValueFormatter.tenths($0)) },
                    alert.seen.map { StyledLine($0) }, StyledLine(alert.id),
                ])
            }
        }
        return table.lines
    }

    /// The same below the table of the room: a sentence for each place that has any.
    var sentences: [StyledLine] {
        places.map { place in
            place.alerts.dropFirst().reduce(
                StyledLine("\(place.name): ") + place.alerts[0].sentence
            ) { $0 + StyledLine("; ") + $1.sentence }
        }
    }
}

extension StatusReply.Alert {
    /// `off pace`.
    fileprivate var text: StyledLine {
        StyledLine(
            String(rule.map { $0 == "_" ? " " : $0 }), severity == "critical" ? .bad : .warning)
    }

    /// `off pace for 12 s`, `backlog for 2 min, seen by anna`.
    fileprivate var sentence: StyledLine {
        let who = acknowledgedBy.map { " by \($0)" } ?? ""
        let seen = acknowledgedAgeSeconds == nil ? "" : ", seen\(who)"
        return text + StyledLine(" for \(ValueFormatter.span(ageSeconds))\(seen)")
    }

    /// `2 min ago by anna`.
    fileprivate var seen: String? {
        acknowledgedAgeSeconds.map { age in
            "\(ValueFormatter.span(age)) ago" + (acknowledgedBy.map { " by \($0)" } ?? "")
        }
    }
}
