import CommandLineText
import ControlSocket

/// The gateway's metrics for Prometheus (text exposition format 0.0.4).
///
/// Contains nothing about rowers, because a monitoring server stores it for a long time.
package struct MetricsPage: Sendable {
    private var page = PrometheusText()

    /// - Parameter status: nil if the daemon did not answer.
    package init(_ status: StatusReply?) {
        family(
            "rowgate_up", "gauge", "Whether the daemon could be asked.",
            [([], status == nil ? 0 : 1)])
        guard let status else { return }
        gateway(status)
        bluetooth(status)
        broker(status.broker)
        ring(status.ring)
        ergs(status.ergs)
    }

    /// The page as it is served, each line with its end.
    package var text: String { page.text }

    // MARK: - Families

    private typealias Sample = PrometheusText.Sample

    private mutating func family(
        _ name: String, _ type: String, _ help: String, _ samples: [Sample]
    ) {
        page.family(name, type, help, samples)
    }

    private mutating func gateway(_ status: StatusReply) {
        let gateway = status.gateway
        family(
            "rowgate_info", "gauge", "What runs.",
            [([("gateway", gateway.id), ("version", gateway.version)], 1)])
        family(
            "rowgate_status", "gauge", "0 ok, 1 degraded, 2 failed.",
            [([], Double(status.exitStatus(ofErg: nil).rawValue))])
        family(
            "rowgate_problems", "gauge", "Problems that make the status what it is.",
            Self.problems(status.problems ?? []))
        family(
            "rowgate_uptime_seconds", "gauge", "Since the daemon started.",
            [([], gateway.uptimeSeconds)])
        family(
            "rowgate_clock_synchronized", "gauge", "Whether something keeps the clock right.",
            [([], gateway.clockIsSynchronized ? 1 : 0)])
        family(
            "rowgate_load_step", "gauge", "What is left out on a slow machine: 0 nothing, to 4.",
            [([], gateway.loadStep.map(Double.init))])
        family(
            "rowgate_queue_delay_seconds", "gauge", "How long a value may wait to be looked at.",
            [([], gateway.queueDelaySeconds)])
        family(
            "rowgate_cpu_ratio", "gauge", "Of the processors that rowgate may use.",
            [([], gateway.cpuPercent.map { Double($0) / 100 })])
        family(
            "rowgate_alerts", "gauge", "The gateway's own alerts that fire.",
            [([], Double(gateway.alerts.count))])
        family(
            "rowgate_alerts_total", "counter", "The gateway's own alerts that began.",
            [([], Double(gateway.alertsTotal))])
    }

    /// How many there are of each code.
    private static func problems(_ problems: [StatusReply.Problem]) -> [Sample] {
        Dictionary(grouping: problems, by: \.code).sorted { $0.key < $1.key }.map { code, found in
            ([("code", code), ("severity", found[0].severity)], Double(found.count))
        }
    }

    private mutating func bluetooth(_ status: StatusReply) {
        family(
            "rowgate_bluetooth_up", "gauge", "Whether bluetoothd answers.",
            [([], status.bus.isConnected ? 1 : 0)])
        func each(_ value: (StatusReply.Adapter) -> Double?) -> [Sample] {
            status.adapters.map { adapter in
                ([("adapter", adapter.name), ("address", adapter.address)], value(adapter))
            }
        }
        family(
            "rowgate_adapter_powered", "gauge", "Whether the adapter is on.",
            each { $0.isPowered ? 1 : 0 })
        family(
            "rowgate_adapter_links", "gauge", "Links that the adapter holds.",
            each { Double($0.slotsUsed) })
        family(
            "rowgate_adapter_link_limit", "gauge", "Links that it can hold, once known.",
            each { $0.slotsTotal.map(Double.init) })
    }

    private mutating func broker(_ broker: StatusReply.Broker) {
        family(
            "rowgate_broker_connected", "gauge", "Whether the MQTT broker is connected.",
            [([], broker.isConnected ? 1 : 0)])
        family(
            "rowgate_backlog_messages", "gauge", "Durable messages not acknowledged yet.",
            [([], Double(broker.backlogMessages))])
        family(
            "rowgate_backlog_age_seconds", "gauge", "Age of the oldest of them.",
            [([], broker.backlogAgeSeconds ?? 0)])
        family(
            "rowgate_published_messages_total", "counter", "Durable messages acknowledged.",
            [([], Double(broker.publishedTotal))])
        family(
            "rowgate_rejected_messages_total", "counter", "Messages that the broker refused.",
            [([], Double(broker.rejectedTotal))])
        family(
            "rowgate_unsubscribed_messages_total", "counter", "Messages without a subscriber.",
            [([], Double(broker.unsubscribedTotal))])
    }

    private mutating func ring(_ ring: StatusReply.Ring) {
        family("rowgate_ring_size_bytes", "gauge", "Of the ring.", [([], Double(ring.sizeBytes))])
        family(
            "rowgate_ring_used_ratio", "gauge", "Of the ring, waiting for the broker: 0 to 1.",
            [([], ring.usedPercent / 100)])
        family(
            "rowgate_ring_reach_seconds", "gauge", "Age of the oldest record in the ring.",
            [([], ring.reachSeconds)])
        family(
            "rowgate_ring_dropped_records_total", "counter", "Overwritten before published.",
            [([], Double(ring.droppedTotal))])
        family(
            "rowgate_ring_behind_seconds", "gauge", "How long the disk has not answered.",
            [([], ring.behindSeconds ?? 0)])
        if let worst = ring.worstCommitSeconds {
            family(
                "rowgate_ring_commit_worst_seconds", "gauge",
                "The longest that the disk took to make records durable, of the last hour.",
                [([], worst)])
        }
        family(
            "rowgate_ring_healthy", "gauge", "Whether records reach the disk.",
            [([], ring.lastError == nil ? 1 : 0)])
    }

    private mutating func ergs(_ ergs: [StatusReply.Erg]) {
        func each(_ value: (StatusReply.Erg) -> Double?) -> [Sample] {
            ergs.map { ([("erg", $0.slug)], value($0)) }
        }
        family(
            "rowgate_erg_connected", "gauge", "Whether the monitor sends.",
            each { $0.link.phase == .streaming ? 1 : 0 })
        family(
            "rowgate_erg_asleep", "gauge", "Whether it was given up because nobody used it.",
            each { $0.link.phase == .asleep ? 1 : 0 })
        family(
            "rowgate_erg_battery_ratio", "gauge", "Of the monitor, when it last told: 0 to 1.",
            each { $0.batteryPercent.map { Double($0) / 100 } })
        family(
            "rowgate_erg_clock_offset_seconds", "gauge",
            "How far the monitor's clock was ahead when it was read, to half a minute.",
            each { $0.clockOffsetSeconds.map(Double.init) })
        family(
            "rowgate_erg_clock_set_total", "counter", "How often the monitor's clock was set.",
            each { Double($0.clockSettings) })
        family(
            "rowgate_erg_rowing", "gauge", "Whether somebody rows.",
            each { $0.state == "rowing" ? 1 : 0 })
        family(
            "rowgate_erg_alerts", "gauge", "Alerts that fire.", each { Double($0.alerts.count) })
        family(
            "rowgate_erg_alerts_total", "counter", "Alerts that began.",
            each { Double($0.alertsTotal) })
        family(
            "rowgate_erg_signal_dbm", "gauge", "Strength when it last advertised.",
            each { $0.link.rssiDBm.map(Double.init) })
        family(
            "rowgate_erg_notifications_per_second", "gauge", "Of the last seconds.",
            each(\.link.notificationsPerSecond))
        family(
            "rowgate_erg_silence_seconds", "gauge", "Since the last notification.",
            each(\.link.silenceSeconds))
        family(
            "rowgate_erg_reconnects_total", "counter", "Links after the first.",
            each { Double($0.link.reconnects) })
        family(
            "rowgate_erg_undecodable_values_total", "counter", "Values nobody understood.",
            each { Double($0.undecodableTotal) })
    }
}
