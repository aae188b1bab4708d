/// One line of a doctor: check, level, text and remedy.
package struct CheckupLine: Equatable, Sendable {
    /// How bad it is.
    package enum Level: String, Codable, Sendable {
        case ok
        /// A degraded state, or a check that could not run.
        case warn
        /// The program cannot do its work.
        case fail
    }

    /// The subject of the check; programs rely on these names.
    package let check: String
    package let level: Level
    /// The finding as a sentence, with its values.
    package let text: String
    /// A command that fixes the problem, or a sentence if no command can; nil for `ok`.
    package let remedy: String?

    package init(_ check: String, _ level: Level, _ text: String, remedy: String? = nil) {
        (self.check, self.level, self.text, self.remedy) = (check, level, text, remedy)
    }
}

extension CheckupLine.Level {
    /// Returns the worst level.
    package static func worst(of levels: [Self]) -> Self {
        levels.contains(.fail) ? .fail : levels.contains(.warn) ? .warn : .ok
    }

    /// As the exit statuses of `status` go: 0 ok, 1 with warnings, 2 with a failure.
    package var exitStatus: Int32 {
        switch self {
        case .ok: 0
        case .warn: 1
        case .fail: 2
        }
    }

    fileprivate var tint: Tint {
        switch self {
        case .ok: .good
        case .warn: .warning
        case .fail: .bad
        }
    }
}

extension [CheckupLine] {
    /// As text: one line each with its remedy below, and a summary at the end.
    package var styled: [StyledLine] {
        let width = map(\.check.count).max() ?? 0
        var lines: [StyledLine] = []
        for line in self {
            lines.append(
                StyledLine(line.level.rawValue.padded(to: 6), line.level.tint)
                    + StyledLine(line.check.padded(to: width + 2), .heading)
                    + StyledLine(line.text))
            if let remedy = line.remedy {
                lines.append(StyledLine("".padded(to: 6 + width + 2) + "-> " + remedy))
            }
        }
        return lines + [StyledLine(), summary]
    }

    private var summary: StyledLine {
        let failures = count { $0.level == .fail }
        let warnings = count { $0.level == .warn }
        if failures + warnings == 0 { return StyledLine("all is well", .good) }
        return StyledLine(
            "\(failures.counted("failure")), \(warnings.counted("warning"))",
            failures > 0 ? .bad : .warning)
    }
}
