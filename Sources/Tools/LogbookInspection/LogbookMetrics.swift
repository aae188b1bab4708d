import CommandLineText
import Contract
import LogbookStores

/// A logbook's figures for Prometheus, read from its store, whether it runs or not.
///
/// Nothing about rowers is in it, as in a gateway's (`MetricsPage`).
package struct LogbookMetrics: Sendable {
    private var page = PrometheusText()

    package var text: String { page.text }

    /// Of a store that cannot be read.
    ///
    /// - Parameter running: the logbook that runs; nil where none answers.
    package init(_ running: RunningLogbook? = nil) {
        up(false)
        add(running)
    }

    /// Reads what the store notes, not its records: it can be asked every minute.
    ///
    /// - Parameter running: the logbook that runs; nil where none answers.
    package init(
        _ store: SQLStore, _ running: RunningLogbook? = nil
    ) throws(StoreFailure) {
        up(true)
        add(running)
        page.family(
            "rowgate_logbook_store_bytes", "gauge", "Of the store on its disk.",
            [([], Double(try store.bytes()))])
        gateways(try GatewayAccount.all(in: store))
        var samples: [PrometheusText.Sample] = []
        for state in [SessionState.missing, .gone, .differs] {
            var filter = SessionFilter(limit: Int(Int32.max))
            filter.states = [state]
            samples.append(
                ([("state", state.rawValue)], Double(try store.sessions(filter).count)))
        }
        page.family(
            "rowgate_logbook_unverified_sessions", "gauge",
            "Sessions that are not what their manifests say.", samples)
    }

    private mutating func up(_ isUp: Bool) {
        page.family(
            "rowgate_logbook_store_up", "gauge", "Whether the store could be read.",
            [([], isUp ? 1 : 0)])
    }

    private mutating func add(_ running: RunningLogbook?) {
        guard let running else { return }
        page.family(
            "rowgate_logbook_storing", "gauge", "Whether the logbook that runs stores records.",
            [([], running.failure == nil ? 1 : 0)])
        page.family(
            "rowgate_logbook_waiting_records", "gauge",
            "Records that wait in memory until they are stored.", [([], Double(running.waiting))])
        page.family(
            "rowgate_logbook_refused_records_total", "counter",
            "Messages that the logbook refused since its start; what was refused for want of room is "
                + "requested again.",
            running.refusals.map { ([("reason", $0.reason)], Double($0.count)) })
    }

    private mutating func gateways(_ gateways: [GatewayAccount]) {
        func each(_ value: (GatewayAccount) -> Double?) -> [PrometheusText.Sample] {
            gateways.map { ([("gateway", $0.gateway.slug)], value($0)) }
        }
        page.family(
            "rowgate_logbook_records_total", "counter", "Records that were stored.",
            each { Double($0.stored) })
        page.family(
            "rowgate_logbook_missing_records", "gauge",
            "Not here: owed and requested, gone when requested, refused, or declared lost.",
            gateways.flatMap { gateway in
                [
                    ("owed", gateway.owed), ("gone", gateway.gone), ("refused", gateway.refused),
                    ("declared", gateway.declared),
                ].map { cause, count in
                    ([("gateway", gateway.gateway.slug), ("cause", cause)], Double(count))
                }
            })
        page.family(
            "rowgate_logbook_refused_records_total", "counter",
            "That broke the contract, or came while the store was full, by the reason.",
            gateways.flatMap { gateway in
                gateway.refusals.map { refusal in
                    (
                        [("gateway", gateway.gateway.slug), ("reason", refusal.reason)],
                        Double(refusal.times)
                    )
                }
            })
        page.family(
            "rowgate_logbook_repeated_records_total", "counter", "That came again, the same.",
            each { Double($0.repeats) })
        page.family(
            "rowgate_logbook_conflicting_records_total", "counter",
            "That came again with another content.", each { Double($0.conflicts) })
        page.family(
            "rowgate_logbook_heard_timestamp_seconds", "gauge",
            "When the gateway last said how it is, as far as that was stored.",
            each { $0.heardAt.map { Double($0 / 1000) } })
    }
}
