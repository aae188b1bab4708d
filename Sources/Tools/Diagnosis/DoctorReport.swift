import CommandLineText
import ControlSocket

/// What `rowgatectl doctor` found, for people and for programs.
package struct DoctorReport: Codable, Equatable, Sendable {
    /// The worst level of all findings.
    let verdict: Finding.Level
    /// In the order in which they are shown.
    let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
        let levels = findings.map(\.level)
        verdict = levels.contains(.fail) ? .fail : levels.contains(.warn) ? .warn : .ok
    }

    /// As the exit statuses of `status` go: 0 ok, 1 with warnings, 2 with a failure.
    package var exitStatus: Int32 {
        switch verdict {
        case .ok: 0
        case .warn: 1
        case .fail: 2
        }
    }

    /// A line for each finding, and below it what mends it.
    package var lines: [StyledLine] {
        let width = findings.map(\.check.rawValue.count).max() ?? 0
        var lines: [StyledLine] = []
        for finding in findings {
            lines.append(
                StyledLine(finding.level.rawValue.padded(to: 6), finding.level.tint)
                    + StyledLine(finding.check.rawValue.padded(to: width + 2), .heading)
                    + StyledLine(finding.text))
            if let remedy = finding.remedy {
                lines.append(StyledLine("".padded(to: 6 + width + 2) + "-> " + remedy))
            }
        }
        return lines + [StyledLine(), summary]
    }

    private var summary: StyledLine {
        let failures = findings.count { $0.level == .fail }
        let warnings = findings.count { $0.level == .warn }
        if failures + warnings == 0 { return StyledLine("all is well", .good) }
        return StyledLine(
            "\(failures.counted("failure")), \(warnings.counted("warning"))",
            failures > 0 ? .bad : .warning)
    }

    /// With line breaks and a fixed order of keys.
    package func jsonText() throws -> String { try JSONCoding.text(self) }
}

extension Finding.Level {
    fileprivate var tint: Tint {
        switch self {
        case .ok: .good
        case .warn: .warning
        case .fail: .bad
        }
    }
}
