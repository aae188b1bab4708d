import CommandLineText
import Contract
import LogbookStores

/// A logbook's metrics for Prometheus, read from its store, whether it runs or not.
///
/// Like a gateway's metrics (`MetricsPage`), they contain nothing about rowers.
package struct LogbookMetrics: Sendable {
    private var page = PrometheusText()

    package var text: String { page.text }

    /// Metrics without a readable store.
    ///
    /// - Parameter running: the running logbook; nil if there is no answer.
    package init(_ running: RunningLogbook? = nil) {
        up(false)
        add(running)
    }

    /// Reads summaries in the store but not its records, so it can run every minute.
    ///
    /// - Parameter running: the running logbook; nil if there is no answer.
    package init(
        _ store: SQLStore, _ running: RunningLogbook? = nil
    ) throws(StoreFailure) {
        up(true)
        add(running)
        page.family(
            "rowgate_logbook_store_bytes", "gauge", "Size of the store on disk.",
            [([], Double(try store.bytes()))])
        gateways(try GatewaySummary.all(in: store))
        var samples: [PrometheusText.Sample] = []
        for state in [SessionState.missing, .gone, .differs] {
            var filter = SessionFilter(limit: Int(Int32.max))
            filter.states = [state]
            samples.append(
                ([("state", state.rawValue)], Double(try store.sessions(filter).count)))
        }
        page.family(
            "rowgate_logbook_unverified_sessions", "gauge",
            "Sessions that do not match their manifests.", samples)
    }

    private mutating func up(_ isUp: Bool) {
        page.family(
            "rowgate_logbook_store_up", "gauge", "Whether the store could be read.",
            [([], isUp ? 1 : 0)])
    }

    private mutating func add(_ running: RunningLogbook?) {
        guard let running else { return }
        page.family(
            "rowgate_logbook_storing", "gauge", "Whether the running logbook stores records.",
            [([], running.failure == nil ? 1 : 0)])
        page.family(
            "rowgate_logbook_waiting_records", "gauge",
            "Records waiting in memory to be stored.", [([], Double(running.waiting))])
        page.family(
            "rowgate_logbook_refused_records_total", "counter",
            "Messages refused since the logbook's start; those refused for lack of space are "
                + "requested again.",
            running.refusals.map { ([("reason", $0.reason)], Double($0.count)) })
    }

    private mutating func gateways(_ gateways: [GatewaySummary]) {
        func each(_ value: (GatewaySummary) -> Double?) -> [PrometheusText.Sample] {
            gateways.map { ([("gateway", $0.gateway.slug)], value($0)) }
        }
        page.family(
            "rowgate_logbook_records_total", "counter", "Records stored so far.",
            each { Double($0.stored) })
        page.family(
            "rowgate_logbook_missing_records", "gauge",
            "Missing records: owed and to be requested, gone at the gateway, refused, or declared lost.",
            gateways.flatMap { gateway in
                [
                    ("owed", gateway.pending), ("gone", gateway.gone), ("refused", gateway.refused),
                    ("declared", gateway.declared),
                ].map { cause, count in
                    ([("gateway", gateway.gateway.slug), ("cause", cause)], Double(count))
                }
            })
        page.family(
            "rowgate_logbook_refused_records_total", "counter",
            "Records refused for violating the contract or for lack of space, by reason.",
            gateways.flatMap { gateway in
                gateway.refusals.map { refusal in
                    (
                        [("gateway", gateway.gateway.slug), ("reason", refusal.reason)],
                        Double(refusal.times)
                    )
                }
            })
        page.family(
            "rowgate_logbook_repeated_records_total", "counter", "Repeated records with equal content.",
            each { Double($0.repeats) })
        page.family(
            "rowgate_logbook_conflicting_records_total", "counter",
            "Repeated records with different content.", each { Double($0.conflicts) })
        page.family(
            "rowgate_logbook_heard_timestamp_seconds", "gauge",
            "Time of the gateway's last stored health message.",
            each { $0.reportedAt.map { Double($0 / 1000) } })
    }
}
