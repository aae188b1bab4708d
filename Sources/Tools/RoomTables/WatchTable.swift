import Bests
import CommandLineText
import ControlSocket

/// The room as a coach watches it (`rowgatectl watch`): one line for each erg.
package struct WatchTable: Sendable {
    private let status: StatusReply

    package init(_ status: StatusReply) { self.status = status }

    /// A line for each erg, which stays where it is whatever is wrong with the gateway; what that is
    /// stands below.
    ///
    /// - Parameter width: to which sentences are broken; a table is not.
    package func lines(width: Int = .max) -> [StyledLine] {
        let reasons = status.reasons.flatMap { StyledLine.paragraph($0, width: width) }
        let alerts = AlertTable(status).sentences
        return [StatusTable.title(status), summary, StyledLine()] + table
            + (alerts.isEmpty ? [] : [StyledLine()] + alerts)
            + (reasons.isEmpty ? [] : [StyledLine()] + reasons)
    }

    /// Links, broker and backlog in one line, most important first, as a narrow window cuts the end.
    private var summary: StyledLine {
        let broker = status.broker
        let linked = status.ergs.count { $0.link.phase == .streaming }
        let connection =
            broker.isConnected
            ? StyledLine("connected", .good) : StyledLine("not connected", .bad)
        let links = "\(linked) of \(status.ergs.count) ergs linked"
        return StyledLine("\(links)   broker \(broker.host):\(broker.port) ") + connection
            + StyledLine(
                ", backlog \(broker.backlogMessages), "
                    + "\(ValueFormatter.tenths(status.ring.usedPercent)) % of the ring")
    }

    private var table: [StyledLine] {
        if status.ergs.isEmpty { return [StatusTable.emptyRoom] }
        // The column appears only if an erg has a target.
        let hasTargets = status.ergs.contains { $0.targetText != nil }
        let target: [(title: String, alignment: TextTable.Alignment)] =
            hasTargets ? [("TARGET", .leading)] : []
        var table = TextTable(
            [
                ("ERG", .leading), ("STATE", .leading), ("TIME", .trailing),
                ("DISTANCE", .trailing), ("PACE", .trailing), ("RATE", .trailing),
                ("WATTS", .trailing), ("HEART", .trailing),
            ] + target + [("LINK", .leading)])
        for erg in status.ergs {
            let cells = [
                // Without a link, the text of the last column, which a narrow window hides.
                StyledLine(erg.slug), erg.link.phase == .streaming ? erg.stateText : erg.link.text,
                erg.elapsedSeconds.map { StyledLine(ValueFormatter.clock($0)) },
                erg.distanceMeters.map { StyledLine(ValueFormatter.units($0, "m")) },
                erg.pace.map { StyledLine($0.meters == 500 ? $0.text : "\($0.text) /\($0.meters) m") },
                erg.strokeRate.map { StyledLine("\($0)") },
                erg.powerWatts.map { StyledLine("\($0)") },
                erg.heartRate.map { StyledLine("\($0)") },
            ]
            let link = erg.link.text + erg.link.remark
            table.add(cells + (hasTargets ? [erg.targetText, link] : [link]))
        }
        return table.lines
    }
}

extension StatusReply.Erg {
    /// The pace as the monitor shows it, and the metres that it is for.
    var pace: (text: String, meters: Int)? {
        let meters = (machineType.flatMap(MachineKind.init(machineType:)) ?? .rower).paceMeters
        return paceSecondsPer500m.map { (ValueFormatter.pace($0 * Double(meters) / 500), meters) }
    }

    var stateText: StyledLine? {
        state.map { StyledLine($0, $0 == "rowing" ? .good : .plain) }
    }

    /// `in`, or the deviations: `pace below, rate above`; nil without a target.
    var targetText: StyledLine? {
        let places = [
            ("pace", paceVsTarget), ("rate", strokeRateVsTarget), ("watts", powerVsTarget),
            ("heart", heartRateVsTarget),
        ].compactMap { name, place in place.map { (name, $0) } }
        guard !places.isEmpty else { return nil }
        let missed = places.filter { $0.1 != "in" }.map { "\($0.0) \($0.1)" }
        return missed.isEmpty
            ? StyledLine("in", .good) : StyledLine(missed.joined(separator: ", "), .warning)
    }
}

extension StatusReply.Link {
    package var text: StyledLine {
        switch phase {
        case .streaming: StyledLine(phase.rawValue, .good)
        case .parked: StyledLine(phase.rawValue, .bad)
        case .asleep: StyledLine(phase.rawValue, .faint)
        default: StyledLine(phase.rawValue, .warning)
        }
    }

    /// Details of the phase: why there is no link, or the signal quality.
    fileprivate var remark: StyledLine {
        if phase == .streaming {
            return rssiDBm.map { StyledLine("  \($0) dBm", .faint) } ?? StyledLine()
        }
        return (reason ?? lastFailure).map { StyledLine(": \($0)") } ?? StyledLine()
    }

    /// Why there is no link on purpose, and for how long.
    package var reason: String? {
        guard phase == .released, let releaseReason else { return sleepReason ?? parkedReason }
        let rest = releasedForSeconds.map { ValueFormatter.span($0) + " left" } ?? "until told"
        return "\(releaseReason), \(rest)"
    }
}
