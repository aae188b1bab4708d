/// One line of a doctor: what was looked at, how it is, and what mends it.
package struct CheckupLine: Equatable, Sendable {
    /// How bad it is.
    package enum Level: String, Codable, Sendable {
        case ok
        /// Something is worse than it could be, or could not be looked at.
        case warn
        /// Something keeps the program from doing its work.
        case fail
    }

    /// What is looked at; the names are stable, for programs.
    package let check: String
    package let level: Level
    /// A sentence: what was found, with its figures.
    package let text: String
    /// A command that mends it, or a sentence where no command can; nil when all is well.
    package let remedy: String?

    package init(_ check: String, _ level: Level, _ text: String, remedy: String? = nil) {
        (self.check, self.level, self.text, self.remedy) = (check, level, text, remedy)
    }
}

extension CheckupLine.Level {
    /// The worst of all that was found.
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
    /// For people: a line for each, below it what mends it, and at the end what it comes to.
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
