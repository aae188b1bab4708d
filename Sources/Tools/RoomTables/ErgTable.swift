import CommandLineText
import ControlSocket

/// Everything about one erg (`rowgatectl status ERG`), a line for each figure.
package struct ErgTable: Sendable {
    private let erg: StatusReply.Erg

    package init(_ erg: StatusReply.Erg) { self.erg = erg }

    /// Names in one column, values in the other; unknown values are omitted.
    package var lines: [StyledLine] { StatusTable.named(link + piece) }

    private var link: [(String, StyledLine)] {
        let link = erg.link
        let reason = link.reason.map { StyledLine(": \($0)") } ?? StyledLine()
        let rows: [(String, StyledLine?)] = [
            ("erg", StyledLine(erg.slug)),
            ("serial", erg.serial.map { StyledLine($0) }),
            ("link", link.text + reason),
            ("adapter", link.adapter.map { StyledLine($0) }),
            ("signal", link.rssiDBm.map { StyledLine("\($0) dBm when last advertising") }),
            ("up", link.ageSeconds.map { StyledLine(ValueFormatter.span($0)) }),
            (
                "notifications",
                link.notificationsPerSecond.map { StyledLine(ValueFormatter.tenths($0) + " /s") }
            ),
            ("silent", link.silenceSeconds.map { StyledLine(ValueFormatter.tenths($0) + " s") }),
            ("reconnects", StyledLine("\(link.reconnects)")),
            (
                "resubscribed",
                link.resubscriptions == 0 ? nil : StatusTable.count(link.resubscriptions, .warning)
            ),
            (
                "cache resets",
                link.removals == 0 ? nil : StatusTable.count(link.removals, .warning)
            ),
            ("last failure", link.lastFailure.map { StyledLine($0) }),
            ("advice", link.advice.map { StyledLine($0) }),
            (
                "battery",
                erg.batteryPercent.map {
                    StyledLine("\($0) %", erg.isBatteryLow ? .warning : .plain)
                }
            ),
            ("clock", clockText),
            ("undecodable", StatusTable.count(erg.undecodableTotal, .bad)),
        ]
        return rows.compactMap { name, line in line.map { (name, $0) } }
    }

    /// The monitor's clock, if rowgate reads it, and how often rowgate set it.
    private var clockText: StyledLine? {
        guard let offset = erg.clockOffsetSeconds else { return nil }
        let isRight = abs(offset) <= 30
        let amount = ValueFormatter.span(Double(abs(offset))) + (offset < 0 ? " behind" : " ahead")
        let count = erg.clockSettings
        let settings = count == 0 ? "" : count == 1 ? ", set once" : ", set \(count) times"
        return StyledLine(
            (isRight ? "right to half a minute" : amount) + settings, isRight ? .plain : .warning)
    }

    private var piece: [(String, StyledLine)] {
        let rows: [(String, StyledLine?)] = [
            ("state", erg.stateText),
            ("session", erg.sessionID.map { StyledLine($0) }),
            ("time", erg.elapsedSeconds.map { StyledLine(ValueFormatter.clock($0)) }),
            ("distance", erg.distanceMeters.map { StyledLine(ValueFormatter.tenths($0) + " m") }),
            ("pace", erg.pace.map { StyledLine("\($0.text) /\($0.meters) m") }),
            ("rate", erg.strokeRate.map { StyledLine("\($0) spm") }),
            ("power", erg.powerWatts.map { StyledLine("\($0) W") }),
            ("heart rate", erg.heartRate.map { StyledLine("\($0) bpm") }),
            ("target", erg.targetText),
        ]
        return rows.compactMap { name, line in line.map { (name, $0) } }
    }
}
