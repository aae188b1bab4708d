import CommandLineText
import Contract
import ControlSocket

/// One line of `rowgatectl doctor`.
struct Finding: Codable, Equatable, Sendable {
    /// The subject of a check; programs and the table in README.md rely on these names.
    enum Check: String, Codable, CaseIterable, Sendable {
        case configuration, service, bluetoothd, adapter, slots, relay
        case wireless = "Wi-Fi"
        case clock, load, disk
        case flashLife = "flash life"
        case broker, limits
        case encryption = "TLS"
        case accessList = "access list"
        case athletes
        case permissions
    }

    /// How bad it is.
    typealias Level = CheckupLine.Level

    let check: Check
    let level: Level
    /// The finding as a sentence, with its values.
    let text: String
    /// A command that fixes the problem, or a sentence if no command can; nil for `ok`.
    let remedy: String?

    /// A finding that the gateway reports under `code`.
    init(_ check: Check, _ code: HealthProblem.Code, _ text: String, remedy: String) {
        self.init(
            check: check, level: Level(code.severity), text: text, remedy: remedy)
    }

    /// A problem that the gateway reports.
    init(_ problem: StatusReply.Problem) {
        let severity = HealthProblem.Severity(rawValue: problem.severity) ?? .warning
        self.init(
            check: .service, level: Level(severity), text: problem.text,
            remedy: problem.remedy ?? "rowgatectl status")
    }

    private init(check: Check, level: Level, text: String, remedy: String?) {
        (self.check, self.level, self.text, self.remedy) = (check, level, text, remedy)
    }

    static func ok(_ check: Check, _ text: String) -> Finding {
        Finding(check: check, level: .ok, text: text, remedy: nil)
    }

    static func warn(_ check: Check, _ text: String, remedy: String) -> Finding {
        Finding(check: check, level: .warn, text: text, remedy: remedy)
    }

    static func fail(_ check: Check, _ text: String, remedy: String) -> Finding {
        Finding(check: check, level: .fail, text: text, remedy: remedy)
    }
}

extension CheckupLine.Level {
    /// As `rowgatectl status` exits with 1 for a gateway that is degraded, and with 2 for a failed one.
    init(_ severity: HealthProblem.Severity) {
        switch severity {
        case .warning: self = .warn
        case .critical: self = .fail
        }
    }
}

extension HealthProblem.Code {
    /// The check that looks for the cause of the problem; nil for none.
    var check: Finding.Check? {
        switch self {
        case .bluetooth: .bluetoothd
        case .noAdapter, .adapter: .adapter
        case .clock: .clock
        case .load: .load
        case .broker: .broker
        case .certificate: .encryption
        case .link, .battery, .topicRefused, .backlog, .ring, .disk, .recordsLost, .undervoltage: nil
        }
    }
}

extension StatusReply {
    /// The problems that the gateway reports; an earlier version reports only reasons.
    var reportedProblems: [Problem] {
        problems
            ?? reasons.map {
                Problem(
                    code: "", severity: status == .failed ? "critical" : "warning", text: $0)
            }
    }

    /// Whether the reply of the gateway has a problem with this code.
    func hasReportedProblem(_ code: HealthProblem.Code) -> Bool {
        reportedProblems.contains { $0.code == code.rawValue }
    }
}
