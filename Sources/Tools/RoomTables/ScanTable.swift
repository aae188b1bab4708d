import CommandLineText
import ControlSocket

extension ScanReply {
    /// A line for each monitor, and what may be missing from the list.
    package var lines: [StyledLine] {
        monitors.isEmpty ? [StyledLine("no PM5 in range", .warning)] + remarks : table + remarks
    }

    private var table: [StyledLine] {
        var table = TextTable([
            ("SERIAL", .leading), ("SIGNAL", .trailing), ("ADAPTER", .leading), ("ERG", .leading),
            ("LINK", .leading),
        ])
        for monitor in monitors {
            table.add([
                StyledLine(monitor.serial),
                monitor.rssiDBm.map { StyledLine("\($0) dBm") },
                StyledLine(monitor.adapter),
                monitor.erg.map { StyledLine($0) } ?? StyledLine("not ours", .faint),
                monitor.phase.map {
                    StyledLine($0.rawValue, $0 == .streaming ? .good : .warning)
                },
            ])
        }
        return table.lines
    }

    private var remarks: [StyledLine] {
        let sleeping = StyledLine(
            "A monitor that sleeps, or serves a phone, is not heard: press Connect on it.", .faint)
        if isScanning { return [StyledLine(), sleeping] }
        return [
            StyledLine(),
            StyledLine("rowgate does not scan now, for it has every monitor it looks for.", .faint),
            sleeping,
        ]
    }
}
