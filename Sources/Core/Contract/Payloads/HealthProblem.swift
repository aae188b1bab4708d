import Bytes

/// Something that is wrong with a gateway. The gateway alone finds these; pages, tools and metrics show
/// them, and none of them judges by itself.
package struct HealthProblem: Equatable, Sendable {
    /// What is wrong, for programs: published, so that names are only ever added.
    package enum Code: String, CaseIterable, Sendable {
        /// No message bus, or no bluetoothd.
        case bluetooth
        /// No adapter works.
        case noAdapter = "no_adapter"
        /// One of several adapters is missing, switched off, blocked or stuck, or is used by another
        /// program.
        case adapter
        /// An erg that was connected is not, or sends nothing.
        case link
        /// The batteries of a monitor are low.
        case battery
        /// No connection to the broker.
        case broker
        /// A certificate ends soon, or has ended.
        case certificate
        /// The broker ends the connection over a topic.
        case topicRefused = "topic_refused"
        /// Records have waited for the broker for long.
        case backlog
        /// The ring log is not on disk.
        case ring
        /// The disk does not answer.
        case disk
        /// The machine is too slow.
        case load
        /// Records were overwritten before they were published.
        case recordsLost = "records_lost"
        case undervoltage
        /// The clock is not synchronised.
        case clock

        /// The same for everybody who shows it.
        package var severity: Severity {
            switch self {
            case .bluetooth, .noAdapter: .critical
            default: .warning
            }
        }
    }

    package enum Severity: String, Sendable {
        /// The gateway is `degraded`: something is wrong and the rest works.
        case warning
        /// The gateway has `failed`: it records nothing.
        case critical
    }

    package var code: Code
    /// The erg that it is about; nil for the gateway.
    package var erg: StationID?
    /// What is wrong, in a sentence without its full stop; begins with the erg.
    package var text: String
    /// What to do about it; nil where nothing helps.
    package var remedy: String?

    package init(_ code: Code, erg: StationID? = nil, _ text: String, remedy: String? = nil) {
        self.code = code
        self.erg = erg
        self.text = text
        self.remedy = remedy
    }

    package var severity: Severity { code.severity }

    /// Both sentences in one.
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
    /// The worst of all problems.
    package init(_ problems: [HealthProblem]) {
        self =
            problems.isEmpty
            ? .ok : problems.contains { $0.severity == .critical } ? .failed : .degraded
    }
}
