import CommandLineText
import ControlSocket

/// The gateway as an administrator looks at it (`rowgatectl status`).
package struct StatusTable: Sendable {
    private let status: StatusReply

    package init(_ status: StatusReply) { self.status = status }

    /// The whole gateway: its parts, then a line for each erg.
    package var lines: [StyledLine] {
        [Self.title(status)] + status.reasons.map { StyledLine("  " + $0) }
            + [StyledLine()] + parts + [StyledLine()] + ergs
    }

    /// Name and health.
    package static func title(_ status: StatusReply) -> StyledLine {
        let health =
            switch status.status {
            case .ok: StyledLine("ok", .good)
            case .degraded: StyledLine("degraded", .warning)
            case .failed: StyledLine("failed", .bad)
            }
        return StyledLine(status.gateway.id + "  ", .heading) + health
    }

    private var parts: [StyledLine] {
        let gateway = status.gateway
        var rows = [
            (
                "gateway",
                StyledLine("rowgate \(gateway.version), up ")
                    + StyledLine(ValueFormatter.span(gateway.uptimeSeconds) + ", clock ")
                    + (gateway.clockIsSynchronized
                        ? StyledLine("synchronised", .good)
                        : StyledLine("not synchronised", clockTint))
                    + Self.load(gateway)
            ),
            ("bluetooth", bus),
        ]
        rows += status.adapters.map { ("adapter", Self.adapter($0)) }
        rows += (status.relays ?? []).map { ("relay", relay($0)) }
        rows += [("broker", broker), ("ring", ring)]
        if let announcement = gateway.announcement { rows.append(("mdns", StyledLine(announcement))) }
        return Self.named(rows)
    }

    /// The gateway alone judges whether a clock without synchronisation is a problem.
    private var clockTint: Tint {
        status.problems?.contains { $0.code == "clock" } == false ? .plain : .warning
    }

    /// Of the machine, where it is too slow.
    private static func load(_ gateway: StatusReply.Gateway) -> StyledLine {
        guard let step = gateway.loadStep, step > 0 else { return StyledLine() }
        return StyledLine(", leaves things out: step ") + count(step, .warning)
            + StyledLine(" of 4")
    }

    private var bus: StyledLine {
        let state =
            status.bus.isConnected
            ? StyledLine("reachable", .good)
            : StyledLine("not reachable", .bad) + Self.cause(status.bus.lastError)
        let restarts = status.bus.serviceRestarts
        return restarts == 0
            ? state : state + StyledLine(", restarted ") + Self.count(restarts, .warning)
    }

    private var broker: StyledLine {
        let broker = status.broker
        let since = broker.sinceSeconds.map { " for " + ValueFormatter.span($0) } ?? ""
        let state =
            broker.isConnected
            ? StyledLine("connected", .good) + StyledLine(since)
            : StyledLine("not connected", .bad) + StyledLine(since) + Self.cause(broker.lastError)
        let age = broker.backlogAgeSeconds.map { " (\(ValueFormatter.span($0)))" } ?? ""
        return StyledLine("\(broker.host):\(broker.port) ") + state
            + StyledLine(", backlog \(broker.backlogMessages)\(age)")
            + StyledLine(", published \(broker.publishedTotal), rejected ")
            + Self.count(broker.rejectedTotal, .bad) + StyledLine(", without subscriber ")
            + Self.count(broker.unsubscribedTotal, .warning)
    }

    private var ring: StyledLine {
        let ring = status.ring
        let error = ring.lastError.map { StyledLine("  \($0)", .bad) } ?? StyledLine()
        let reach =
            ring.reachSeconds.map { "reaches back \(ValueFormatter.span($0)), " } ?? ""
        let waiting = "\(ValueFormatter.tenths(ring.usedPercent)) % waits for the broker"
        return StyledLine("\(ring.path) \(ValueFormatter.storage(ring.sizeBytes)), ")
            + StyledLine("\(reach)\(waiting), dropped ")
            + Self.count(ring.droppedTotal, .bad) + Self.slowness(ring) + error
    }

    /// Of the disk, where it shows.
    private static func slowness(_ ring: StatusReply.Ring) -> StyledLine {
        if let behind = ring.behindSeconds, behind >= 1 {
            return StyledLine(", the disk has not answered for ")
                + StyledLine(ValueFormatter.span(behind), .warning)
        }
        guard let worst = ring.worstCommitSeconds, worst >= 1 else { return StyledLine() }
        return StyledLine(", the disk took up to ")
            + StyledLine("\(ValueFormatter.tenths(worst)) s", .warning)
    }

    private static func adapter(_ adapter: StatusReply.Adapter) -> StyledLine {
        let total = adapter.slotsTotal.map { " of \($0)" } ?? ""
        let foreign = adapter.foreignLinks.flatMap { $0 > 0 ? " (\($0) of others)" : nil } ?? ""
        let cycles =
            adapter.powerCycles == 0
            ? StyledLine()
            : StyledLine(", switched off and on ") + count(adapter.powerCycles, .warning)
        return StyledLine("\(adapter.name) \(adapter.address) ")
            + (adapter.isPowered ? StyledLine("on", .good) : StyledLine("off", .bad))
            + StyledLine(", \(adapter.slotsUsed)\(total) links\(foreign)") + cycles
            + counters(adapter)
    }

    /// A phone sees the monitor of an erg through it.
    private func relay(_ relay: StatusReply.Relay) -> StyledLine {
        guard let serial = relay.serial else { return StyledLine("\(relay.adapter) no erg", .faint) }
        let slug = status.ergs.first { $0.serial == serial }?.slug ?? "PM5 \(serial)"
        let state =
            switch relay.state {
            case "connected": StyledLine("a phone is connected", .good)
            case "advertising": StyledLine("phones can connect", .good)
            case "waiting_for_monitor": StyledLine("waits for the monitor", .faint)
            case "adapter_missing": StyledLine("the adapter is missing", .bad)
            case "adapter_off": StyledLine("the adapter is switched off", .bad)
            default:
                relay.problem == nil
                    ? StyledLine("is being set up", .faint)
                    : StyledLine("bluetoothd refuses it", .bad) + Self.cause(relay.problem)
            }
        return StyledLine("\(relay.adapter) \(slug): ") + state
    }

    /// What went through an adapter, and what went wrong there.
    private static func counters(_ adapter: StatusReply.Adapter) -> StyledLine {
        guard let received = adapter.bytesReceived, let sent = adapter.bytesSent,
            let errors = adapter.errors
        else { return StyledLine() }
        return StyledLine(", received \(ValueFormatter.bytes(received)), ")
            + StyledLine("sent \(ValueFormatter.bytes(sent)), errors ") + count(errors, .warning)
    }

    static let emptyRoom = StyledLine("no monitor has been heard yet", .faint)

    /// Short headings, so that a line fits a terminal of 80 columns; `ErgTable` has the words.
    private var ergs: [StyledLine] {
        if status.ergs.isEmpty { return [Self.emptyRoom] }
        var table = TextTable([
            ("ERG", .leading), ("SERIAL", .leading), ("LINK", .leading), ("VIA", .leading),
            ("DBM", .trailing), ("UP", .trailing), ("MSG/S", .trailing),
            ("SILENT", .trailing), ("AGAIN", .trailing), ("STATE", .leading),
        ])
        for erg in status.ergs {
            let link = erg.link
            table.add([
                StyledLine(erg.slug), erg.serial.map { StyledLine($0) }, link.text,
                link.adapter.map { StyledLine($0) },
                link.rssiDBm.map { StyledLine("\($0)") },
                link.ageSeconds.map { StyledLine(ValueFormatter.span($0)) },
                link.notificationsPerSecond.map { StyledLine(ValueFormatter.tenths($0)) },
                link.silenceSeconds.map { StyledLine(ValueFormatter.tenths($0) + " s") },
                StyledLine("\(link.reconnects)"), erg.stateText,
            ])
        }
        return table.lines
    }

    // MARK: -

    /// Names in one column, and their values next to them.
    static func named(_ rows: [(String, StyledLine)]) -> [StyledLine] {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, line in
            StyledLine(name.padded(to: width + 2), .heading) + line
        }
    }

    private static func cause(_ reason: String?) -> StyledLine {
        reason.map { StyledLine(" (\($0))") } ?? StyledLine()
    }

    /// A count of what should not happen.
    package static func count(_ number: Int, _ tint: Tint) -> StyledLine {
        StyledLine("\(number)", number == 0 ? .plain : tint)
    }
}

/// The crews, one line each.
package struct CrewTable: Sendable {
    private let crews: [StatusReply.Crew]

    package init(_ status: StatusReply) { crews = status.crews }

    /// In the order of the configuration, then as they were named; or that there is none.
    package var lines: [StyledLine] {
        guard !crews.isEmpty else {
            return [StyledLine("there is no crew; rowgatectl crew NAME ERG... names one")]
        }
        var table = TextTable([("CREW", .leading), ("ERGS", .leading)])
        for crew in crews {
            table.add([StyledLine(crew.name), StyledLine(crew.ergs.joined(separator: " "))])
        }
        return table.lines
    }
}
