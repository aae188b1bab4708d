import CommandLineText
import ControlSocket

/// The findings of `rowgatectl doctor`, as text and as JSON.
package struct DoctorReport: Codable, Equatable, Sendable {
    /// The worst level of all findings.
    let verdict: Finding.Level
    /// In the order in which they are shown.
    let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
        verdict = .worst(of: findings.map(\.level))
    }

    package var exitStatus: Int32 { verdict.exitStatus }

    /// One line per finding, followed by its remedy.
    package var lines: [StyledLine] {
        findings.map {
            CheckupLine($0.check.rawValue, $0.level, $0.text, remedy: $0.remedy)
        }.styled
    }

    /// With line breaks and a fixed order of keys.
    package func jsonText() throws -> String { try JSONCoding.text(self) }
}
