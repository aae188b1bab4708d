import PM5Codec
import Timeline

@testable import Insights
@testable import Rowing

/// An erg with its alert rules, in stepped time.
struct AlertBench {
    var alerts: ErgAlerts
    private(set) var published: [Alert] = []
    /// The boot clock.
    private(set) var now = BootInstant(nanoseconds: 1_000_000_000_000)
    /// The values of the next moments and strokes.
    var sample = MetricsSample(
        at: BootInstant(nanoseconds: 0), state: .ready, elapsed: .zero, distance: .zero)
    var isLinkLost = false
    var battery: Int?
    private(set) var session: SessionID?
    private(set) var strokes = 0
    private(set) var elapsed = Duration.zero
    var interval = 1
    /// The targets of the next strokes.
    var target: TargetBands?
    var workout = Workout(type: .fixedDistanceWithSplits, target: .distance(Meters(5000)))

    private let ids: Count

    init(_ settings: AlertSettings = AlertSettings()) {
        let ids = Count()
        self.ids = ids
        alerts = ErgAlerts(settings) { "A\(ids.next())" }
    }

    /// Continues with another process.
    mutating func restart(_ settings: AlertSettings = AlertSettings(), hasSession: Bool = true) {
        alerts = ErgAlerts(settings, firing: alerts.firing) { [ids] in "A\(ids.next())" }
        if !hasSession { session = nil }
        alerts.resume(hasSession ? session.map { edge(.started, $0) } : nil)
    }

    var firing: [AlertRule] { alerts.firing.map(\.rule) }

    /// The alerts in order: `stopped`, `-stopped recovered`.
    var alertNames: [String] {
        published.map { alert in
            if alert.state == .acknowledged { return "\(alert.rule.rawValue) acknowledged" }
            return alert.resolution.map { "-\(alert.rule.rawValue) \($0.rawValue)" }
                ?? alert.rule.rawValue
        }
    }

    /// Acknowledges an alert.
    mutating func acknowledge(_ id: String, by name: String?) -> Alert? {
        alerts.acknowledge(id, by: name, at: now, into: &published)
    }

    /// Assigns another athlete.
    mutating func setLimits(_ settings: AlertSettings) {
        alerts.setLimits(settings, at: now, into: &published)
    }

    private func edge(_ kind: SessionTransition.Kind, _ session: SessionID) -> SessionTransition {
        SessionTransition(kind: kind, session: session, startedAt: now, workout: workout, at: now)
    }

    mutating func begin(_ name: String = "S1") {
        let session = SessionID(name)
        self.session = session
        (strokes, elapsed, interval) = (0, .zero, 1)
        sample.state = .rowing
        alerts.handle(.session(edge(.started, session)), at: now, into: &published)
    }

    mutating func end() {
        guard let session else { return }
        sample.state = .finished
        alerts.handle(.session(edge(.ended, session)), at: now, into: &published)
        self.session = nil
    }

    /// Advances the time, with a moment every half second.
    mutating func wait(seconds: Double) {
        for _ in 0..<Int(seconds * 2) { step(milliseconds: 500) }
    }

    /// Advances the time, with one moment at its end.
    mutating func step(milliseconds: Int) {
        now = now.advanced(by: .milliseconds(milliseconds))
        if sample.state == .rowing || sample.state == .paused {
            elapsed += .milliseconds(milliseconds)
        }
        let moment = ErgMoment(
            isLinkLost: isLinkLost, sample: isLinkLost ? nil : sample, batteryPercent: battery)
        alerts.evaluate(moment, at: now, into: &published)
    }

    /// Rows this many strokes, one every 2.5 s.
    mutating func row(
        _ count: Int, watts: Int? = 200, pace: Int? = 120, rate: Int? = 24
    ) {
        sample.state = .rowing
        for _ in 0..<count {
            wait(seconds: 2.5)
            guard session != nil else { return }
            strokes += 1
            let stroke = stroke(strokes, watts: watts, pace: pace, rate: rate)
            alerts.handle(.stroke(stroke), at: now, into: &published)
        }
    }

    /// Returns a stroke with these values at the current time.
    func stroke(_ number: Int, watts: Int?, pace: Int?, rate: Int?) -> Stroke {
        var stroke = Stroke(
            session: session ?? SessionID(""), at: now, number: number, elapsed: elapsed,
            distance: .zero)
        stroke.powerWatts = watts
        stroke.pace = pace.map { Pace(millisecondsPer500m: Int64($0) * 1000) }
        stroke.strokeRate = rate
        stroke.interval = interval
        stroke.target = target.map {
            TargetCheck($0, pace: stroke.pace, watts: watts, rate: rate, heartRate: nil)
        }
        return stroke
    }

    /// Stops rowing; the monitor reports its pause after 6 s.
    mutating func pauseRowing(seconds: Double) {
        wait(seconds: min(6, seconds))
        guard seconds > 6 else { return }
        sample.state = .paused
        wait(seconds: seconds - 6)
    }
}

/// Counts 1, 2, 3, ...
final class Count: @unchecked Sendable {
    // @unchecked: a test counts on one thread.
    private var value = 0
    func next() -> Int {
        value += 1
        return value
    }
}

extension Alert {
    /// Describes violations in the alerts of one subject: each alert must start and end in order, with one
    /// id.
    static func disorder(in alerts: [Alert]) -> [String] {
        var open: [AlertRule: Alert] = [:]
        var ids: Set<String> = []
        return alerts.compactMap { alert in
            if alert.state == .acknowledged {
                let isFiring = open[alert.rule]?.id == alert.id
                return isFiring ? nil : "\(alert) is seen, and does not fire"
            }
            guard alert.resolution == nil else {
                let begun = open.removeValue(forKey: alert.rule)
                let isPair =
                    begun?.id == alert.id && begun?.since == alert.since
                    && begun?.session == alert.session
                return isPair ? nil : "\(alert) resolves \(String(describing: begun))"
            }
            defer { open[alert.rule] = alert }
            let isNew = open[alert.rule] == nil && ids.insert(alert.id).inserted
            return isNew && alert.since <= alert.at ? nil : "\(alert) fires twice"
        }
    }
}
