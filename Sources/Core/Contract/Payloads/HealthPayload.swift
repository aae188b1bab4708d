import Bytes
import Rowing

/// `health`: how the gateway does, every 30 s and on change. What is not known is absent.
package struct Health: Equatable, Sendable, RetainedBody {
    package static let name = "health"

    /// `degraded`: something is amiss and the rest works; `failed`: nothing is recorded.
    package enum Status: String, Sendable { case ok, degraded, failed }

    /// The worst of what was found.
    package var status: Status
    /// Why it is not `ok`, in words.
    package var reasons: [String]
    /// Each of them for programs.
    package var problems: [HealthProblem] = []
    /// Bluetooth adapters that are there and powered.
    package var adaptersUp: Int?
    /// Bluetooth links in use.
    package var slotsUsed: Int?
    /// Bluetooth links that the adapters can hold together.
    package var slotsTotal: Int?
    /// Ergs whose link stands.
    package var ergsOnline: Int?
    /// Ergs that were given up because nobody used them.
    package var ergsAsleep: Int?
    /// Places in the configuration, linked or not.
    package var ergsConfigured: Int?
    /// Whether the broker has accepted us and not gone since.
    package var isBrokerConnected: Bool?
    /// Unix milliseconds: when the broker's certificate ends; nil in the clear.
    package var brokerCertificateEnd: Int64?
    /// Unix milliseconds: when the gateway's own ends; nil where it shows none.
    package var ownCertificateEnd: Int64?
    /// Records that the broker has not acknowledged.
    package var backlogMessages: Int?
    /// Age of the oldest record that the broker has not acknowledged, whole seconds.
    package var backlogAgeSeconds: Int?
    /// Records that the broker refused, each attempt counted, since the start.
    package var rejectedTotal: UInt64?
    /// Records that were longer than the broker takes, since the start; nil for none.
    package var tooLongTotal: UInt64?
    /// Topics that are left out for a while, because the broker ends the connection over them.
    package var leftOut: [String] = []
    /// Commands that were refused, or that came faster than they could be looked at.
    package var commandsRejectedTotal: UInt64?
    /// Records that nobody subscribed to, as far as the broker told, since the start.
    package var unsubscribedTotal: UInt64?
    /// Tenths of a percent of the ring that hold unpublished records.
    package var ringUsedPermille: Int?
    /// Age of the oldest record that the ring holds, whole seconds.
    package var ringReachSeconds: Int?
    /// Records overwritten before they were published, since the start.
    package var ringDroppedTotal: UInt64?
    /// How long the oldest record has waited to be durable, whole seconds.
    package var diskBehindSeconds: Int?
    /// The longest that it took to make records durable, of the last hour.
    package var worstCommit: Duration?
    /// What is left out while the machine is too slow: 0 for nothing, up to 4.
    package var loadStep: Int?
    /// How long a value may have waited to be looked at, as of the last look.
    package var queueDelay: Duration?
    /// Of the processors that rowgate may use, 0 to 100.
    package var processorPercent: Int?
    /// On the file system of the ring, for users without privileges.
    package var diskFreeBytes: UInt64?
    /// Tenths of a degree Celsius.
    package var cpuTemperatureDecidegrees: Int?
    /// Whether a Raspberry Pi says that its supply is too weak.
    package var isUndervoltage: Bool?
    /// Notifications of all ergs together.
    package var notificationRate: Rate?
    /// Publish to acknowledgement, 99th percentile.
    package var publishLatency: Duration?
    /// The last number of each of the gateway's own streams, as `marks` has for an erg's.
    package var lastSequences: [StreamKind: UInt64] = [:]
    /// In the order of the configuration.
    package var ergs: [ErgFigures] = []
    /// By address.
    package var adapters: [AdapterFigures] = []

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
        writeFigures(into: &json)
    }

    /// Everything but the verdict, which the reply to `diag` gives another name.
    func writeFigures(into json: inout JSONWriter) {
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
        if !leftOut.isEmpty { json.field("left_out", leftOut) }
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
        StreamPositions.write(lastSequences, into: &json)
        writeParts(into: &json)
    }
}
