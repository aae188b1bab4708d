import Bytes
import Contract

/// Received alerts and rollups: checks that alerts come in pairs, and that rollups match the strokes.
struct PublishedInsights {
    private struct Rollup {
        var strokes: ClosedRange<Int>
        var count: Int
    }

    /// By id: how often each alert started and was resolved.
    private var alerts: [String: (firing: Int, resolved: Int, endsWithSession: Bool)] = [:]
    private var rollups: [StationID: [String: [Rollup]]] = [:]
    private(set) var violations: [String] = []

    /// Number of alerts and rollups.
    var counts: (alerts: Int, rollups: Int) {
        (alerts.count, rollups.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } })
    }

    /// Adds a record that was not received before.
    ///
    /// - Parameter station: nil for the gateway itself.
    mutating func receive(_ kind: StreamKind, _ fields: JSONObject, at station: StationID?) {
        switch kind {
        case .alert:
            guard let id = fields.text("alert_id") else {
                return violations.append("an alert without an id")
            }
            var alert = alerts[id] ?? (0, 0, fields.text("session_id") != nil)
            switch fields.text("state") {
            case "firing": alert.firing += 1
            case "resolved": alert.resolved += 1
            default: break
            }
            if alert.firing == 0 {
                violations.append("\(station?.slug ?? ""): \(id) was resolved before it started")
            }
            alerts[id] = alert
        case .rollup:
            guard let station, let session = fields.text("session_id"),
                let range = fields.range("from_stroke", "to_stroke"),
                let count = fields.number("strokes")
            else { return violations.append("a rollup without strokes") }
            rollups[station, default: [:]][session, default: []].append(
                Rollup(
                    strokes: Int(range.lowerBound)...Int(range.upperBound), count: Int(count)))
        default: break
        }
    }

    /// Alerts of ended sessions that are not a pair; a power cut can lose one half.
    var unpaired: [String] {
        alerts.filter { $0.value.endsWithSession && ($0.value.firing, $0.value.resolved) != (1, 1) }
            .keys.sorted()
    }

    /// Rollups whose count differs from the strokes.
    ///
    /// - Parameter strokes: the numbers of a session's strokes.
    func differences(
        at station: StationID, from strokes: (_ session: String) -> Set<Int>
    ) -> [String] {
        (rollups[station] ?? [:]).flatMap { session, rollups in
            let numbers = strokes(session)
            return rollups.filter { rollup in
                numbers.count { rollup.strokes.contains($0) } != rollup.count
            }
            .map { "\(station) \(session): \($0)" }
        }
        .sorted()
    }
}
