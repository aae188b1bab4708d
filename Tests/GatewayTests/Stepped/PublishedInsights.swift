import Bytes
import Contract

/// The alerts and rollups that a subscriber got of a day: whether the ones come in pairs, and the others
/// say what the strokes do.
struct PublishedInsights {
    private struct Rollup {
        var strokes: ClosedRange<Int>
        var count: Int
    }

    /// By id: how often it began, and how often it was resolved.
    private var alerts: [String: (firing: Int, resolved: Int, isOfSession: Bool)] = [:]
    private var rollups: [StationID: [String: [Rollup]]] = [:]
    private(set) var violations: [String] = []

    /// How many alerts and rollups there were.
    var counts: (alerts: Int, rollups: Int) {
        (alerts.count, rollups.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } })
    }

    /// Takes in a record that did not come before.
    ///
    /// - Parameter station: nil for the gateway itself.
    mutating func take(_ kind: StreamKind, _ fields: JSONObject, at station: StationID?) {
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
                violations.append("\(station?.slug ?? ""): \(id) ends and never began")
            }
            alerts[id] = alert
        case .rollup:
            guard let station, let session = fields.text("session_id"),
                let range = fields.range("from_stroke", "to_stroke"),
                let count = fields.number("strokes")
            else { return violations.append("a rollup of nothing") }
            rollups[station, default: [:]][session, default: []].append(
                Rollup(
                    strokes: Int(range.lowerBound)...Int(range.upperBound), count: Int(count)))
        default: break
        }
    }

    /// Alerts of sessions, all of which are over by now, that are no pair: a power cut takes one half.
    var unpaired: [String] {
        alerts.filter { $0.value.isOfSession && ($0.value.firing, $0.value.resolved) != (1, 1) }
            .keys.sorted()
    }

    /// Rollups that count other strokes than there were.
    ///
    /// - Parameter strokes: the numbers of a session's strokes.
    func differences(
        at station: StationID, from strokes: (_ session: String) -> Set<Int>
    ) -> [String] {
        (rollups[station] ?? [:]).flatMap { session, rollups in
            let told = strokes(session)
            return rollups.filter { rollup in
                told.count { rollup.strokes.contains($0) } != rollup.count
            }
            .map { "\(station) \(session): \($0)" }
        }
        .sorted()
    }
}
