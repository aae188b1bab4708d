import Bytes

/// A problem of a gateway. Only the gateway detects problems; pages, tools and metrics show them.
package struct HealthProblem: Equatable, Sendable {
    /// Problem code. Codes are published: only add new ones.
    package enum Code: String, CaseIterable, Sendable {
        /// No D-Bus system bus, or no bluetoothd.
        case bluetooth
        /// No adapter works.
        case noAdapter = "no_adapter"
        /// One of several adapters is missing, switched off, blocked or stuck, or is used by another
        /// program.
        case adapter
        /// An erg lost its connection, or sends nothing.
        case link
        /// The batteries of a monitor are low.
        case battery
        /// No connection to the broker.
        case broker
        /// A certificate expires soon or has expired.
        case certificate
        /// The broker closes the connection when a topic is published.
        case topicRefused = "topic_refused"
        /// Records have waited for the broker too long.
        case backlog
        /// The ring log is not on disk.
        case ring
        /// The disk stalls.
        case disk
        /// The machine is too slow.
        case load
        /// Records were overwritten before they were published.
        case recordsLost = "records_lost"
        case undervoltage
        /// The clock is not synchronised.
        case clock

        package var severity: Severity {
            switch self {
            case .bluetooth, .noAdapter: .critical
            default: .warning
            }
        }
    }

    package enum Severity: String, Sendable {
        /// The gateway is `degraded`: a part does not work.
        case warning
        /// The gateway has `failed`: it records nothing.
        case critical
    }

    package var code: Code
    /// The affected erg; nil for the gateway.
    package var erg: StationID?
    /// Description: a sentence without its full stop; begins with the erg.
    package var text: String
    /// Remedy; nil if there is none.
    package var remedy: String?

    package init(_ code: Code, erg: StationID? = nil, _ text: String, remedy: String? = nil) {
        self.code = code
        self.erg = erg
        self.text = text
        self.remedy = remedy
    }

    package var severity: Severity { code.severity }

    /// Description and remedy in one sentence.
    package var reason: String { remedy.map { "\(text); \($0)" } ?? text }

    func write(into json: inout JSONWriter) {
        json.field("code", code.rawValue)
        json.field("severity", severity.rawValue)
        json.field("erg", erg?.slug)
        json.field("text", text)
        json.field("remedy", remedy)
    }
}

extension Health.Status {
    /// The status according to the worst problem.
    package init(_ problems: [HealthProblem]) {
        self =
            problems.isEmpty
            ? .ok : problems.contains { $0.severity == .critical } ? .failed : .degraded
    }
}
