import Bytes
import Rowing

/// `health`: health of the gateway, every 30 s and on change. Unknown values are absent.
package struct Health: Equatable, Sendable, RetainedBody {
    package static let name = "health"

    /// `degraded`: a part does not work; `failed`: nothing is recorded.
    package enum Status: String, Sendable { case ok, degraded, failed }

    /// Status according to the worst problem.
    package var status: Status
    /// The problems as sentences.
    package var reasons: [String]
    /// The problems for programs.
    package var problems: [HealthProblem] = []
    /// Bluetooth adapters that are present and powered.
    package var adaptersUp: Int?
    /// Bluetooth links in use.
    package var slotsUsed: Int?
    /// Bluetooth links that all adapters together support.
    package var slotsTotal: Int?
    /// Ergs with an open link.
    package var ergsOnline: Int?
    /// Ergs that were disconnected because they were not used.
    package var ergsAsleep: Int?
    /// Configured ergs.
    package var ergsConfigured: Int?
    /// Whether the MQTT session is open.
    package var isBrokerConnected: Bool?
    /// Unix milliseconds: end of the broker's certificate; nil without TLS.
    package var brokerCertificateEnd: Int64?
    /// Unix milliseconds: end of the gateway's certificate; nil without one.
    package var ownCertificateEnd: Int64?
    /// Records that the broker has not acknowledged.
    package var backlogMessages: Int?
    /// Age of the oldest record that the broker has not acknowledged, whole seconds.
    package var backlogAgeSeconds: Int?
    /// Records that the broker rejected, counting each attempt, since the daemon started.
    package var rejectedTotal: UInt64?
    /// Records above the broker's maximum packet size, since the daemon started; nil for none.
    package var tooLongTotal: UInt64?
    /// Topics that are paused, because the broker closes the connection when they are published.
    package var skippedTopics: [String] = []
    /// Commands that were refused or dropped because of their rate.
    package var commandsRejectedTotal: UInt64?
    /// Records without a subscriber, as far as the broker reported, since the daemon started.
    package var unsubscribedTotal: UInt64?
    /// Share of the ring with unpublished records, in tenths of a percent.
    package var ringUsedPermille: Int?
    /// Age of the oldest record in the ring, whole seconds.
    package var ringReachSeconds: Int?
    /// Records overwritten before they were published, since the daemon started.
    package var ringDroppedTotal: UInt64?
    /// Age of the oldest record that is not durable, whole seconds.
    package var diskBehindSeconds: Int?
    /// The longest commit of the last hour.
    package var worstCommit: Duration?
    /// Level of load shedding, 0 (none) to 4.
    package var loadStep: Int?
    /// Queueing delay of Bluetooth values at the last measurement.
    package var queueDelay: Duration?
    /// Load of the processors that rowgate may use, 0 to 100.
    package var processorPercent: Int?
    /// Free space for unprivileged users on the file system of the ring.
    package var diskFreeBytes: UInt64?
    /// Tenths of a degree Celsius.
    package var cpuTemperatureDecidegrees: Int?
    /// Whether a Raspberry Pi reports undervoltage.
    package var isUndervoltage: Bool?
    /// Notifications of all ergs together.
    package var notificationRate: Rate?
    /// Time from publishing to acknowledgement, 99th percentile.
    package var publishLatency: Duration?
    /// Last number of each stream of the gateway; `marks` has those of ergs.
    package var lastSequencesOfGateway: [StreamKind: UInt64] = [:]
    /// The configured ergs in the order of the configuration, then others in the order in which they were found.
    package var ergs: [ErgHealth] = []
    /// By address.
    package var adapters: [AdapterHealth] = []

    package init(status: Status, reasons: [String] = []) {
        self.status = status
        self.reasons = reasons
    }

    package init(_ problems: [HealthProblem]) {
        self.init(status: Status(problems), reasons: problems.map(\.reason))
        self.problems = problems
    }

    package func write(into json: inout JSONWriter) {
        json.field("status", status.rawValue)
        writeDetails(into: &json)
    }

    /// Writes everything except `status`, which has another name in the reply to `diag`.
    func writeDetails(into json: inout JSONWriter) {
        json.field("reasons", reasons)
        if !problems.isEmpty { json.list("problems", of: problems) { $1.write(into: &$0) } }
        json.field("adapters_up", adaptersUp)
        json.field("slots_used", slotsUsed)
        json.field("slots_total", slotsTotal)
        json.field("ergs_online", ergsOnline)
        json.field("ergs_asleep", ergsAsleep)
        json.field("ergs_configured", ergsConfigured)
        json.field("broker_connected", isBrokerConnected)
        json.field("broker_certificate_end_ms", brokerCertificateEnd)
        json.field("own_certificate_end_ms", ownCertificateEnd)
        json.field("backlog_messages", backlogMessages)
        json.field("backlog_age_s", backlogAgeSeconds)
        json.field("rejected_total", rejectedTotal)
        json.field("unsubscribed_total", unsubscribedTotal)
        json.field("too_long_total", tooLongTotal)
        if !skippedTopics.isEmpty { json.field("left_out", skippedTopics) }
        json.field("commands_rejected_total", commandsRejectedTotal)
        json.field("ring_used_pct", ringUsedPermille.map(Int64.init), places: 1)
        json.field("ring_reach_s", ringReachSeconds)
        json.field("ring_dropped_total", ringDroppedTotal)
        json.field("disk_behind_s", diskBehindSeconds)
        json.milliseconds("commit_worst_ms", worstCommit)
        json.field("load_step", loadStep)
        json.milliseconds("queue_delay_ms", queueDelay)
        json.field("cpu_pct", processorPercent)
        json.field("disk_free_bytes", diskFreeBytes)
        json.field("cpu_temp_c", cpuTemperatureDecidegrees.map(Int64.init), places: 1)
        json.field("undervoltage", isUndervoltage)
        json.field(
            "notifications_per_s", notificationRate.map { Int64($0.tenthsPerSecond) }, places: 1)
        json.milliseconds("publish_p99_ms", publishLatency)
        StreamPositions.write(lastSequencesOfGateway, into: &json)
        writeParts(into: &json)
    }
}

/// The part of `health` about one erg's link.
package struct ErgHealth: Equatable, Sendable {
    /// The erg's slug.
    package var erg: String
    /// Signal strength of the last advertisement; nil before the first.
    package var rssiDBm: Int?
    /// Whole seconds since the link opened; nil without a link.
    package var linkAgeSeconds: Int?
    /// Mean rate over the last seconds; nil without a link.
    package var notificationRate: Rate?
    /// Tenths of a second since the last notification; nil without a link.
    package var silenceDeciseconds: Int?
    /// Links after the first, since the daemon started.
    package var reconnects: Int
    /// Last reported battery charge; nil before the first report.
    package var batteryPercent: Int?

    package init(erg: String, reconnects: Int) {
        self.erg = erg
        self.reconnects = reconnects
    }
}

/// The part of `health` about one Bluetooth adapter.
package struct AdapterHealth: Equatable, Sendable {
    /// BD_ADDR, which does not change.
    package var address: String
    /// Links in use, including those of other programs.
    package var links: Int
    /// Maximum number of links; nil if unknown.
    package var linkLimit: Int?
    /// Times that rowgate switched it off and on to recover it, since the daemon started.
    package var powerCycles: Int
    /// Kernel counter since the adapter came up; nil if unknown.
    package var bytesReceived: Int?
    /// Kernel counter since the adapter came up; nil if unknown.
    package var bytesSent: Int?
    /// Kernel counter of receive and send errors; nil if unknown.
    package var errors: Int?

    package init(address: String, links: Int, powerCycles: Int) {
        self.address = address
        self.links = links
        self.powerCycles = powerCycles
    }
}

extension Health {
    /// Writes objects with one member per erg or adapter.
    func writeParts(into json: inout JSONWriter) {
        json.object("erg_rssi_dbm", of: ergs, by: \.erg) { $0.rssiDBm }
        json.object("erg_link_age_s", of: ergs, by: \.erg) { $0.linkAgeSeconds }
        json.object("erg_notifications_per_s", of: ergs, by: \.erg, places: 1) {
            $0.notificationRate?.tenthsPerSecond
        }
        json.object("erg_silence_s", of: ergs, by: \.erg, places: 1) { $0.silenceDeciseconds }
        json.object("erg_reconnects_total", of: ergs, by: \.erg) { $0.reconnects }
        json.object("erg_battery_pct", of: ergs, by: \.erg) { $0.batteryPercent }
        json.object("adapter_links", of: adapters, by: \.address) { $0.links }
        json.object("adapter_links_max", of: adapters, by: \.address) { $0.linkLimit }
        json.object("adapter_power_cycles_total", of: adapters, by: \.address) { $0.powerCycles }
        json.object("adapter_rx_bytes", of: adapters, by: \.address) { $0.bytesReceived }
        json.object("adapter_tx_bytes", of: adapters, by: \.address) { $0.bytesSent }
        json.object("adapter_errors_total", of: adapters, by: \.address) { $0.errors }
    }
}

extension JSONWriter {
    /// Writes an object with the value of each part, by the part's name. The unit of `value` is 10 to the
    /// power of minus `places`.
    fileprivate mutating func object<Part>(
        _ name: StaticString, of parts: [Part], by key: KeyPath<Part, String>, places: Int = 0,
        value: (Part) -> Int?
    ) {
        object(name) { json in
            for part in parts {
                guard let number = value(part) else { continue }
                json.key(part[keyPath: key])
                json.value(Int64(number), places: places)
            }
        }
    }
}

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
