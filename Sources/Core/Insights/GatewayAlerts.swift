import Rowing
import Timeline

/// The state of the gateway for the rules; nil for unknown values.
package struct GatewayMoment: Sendable {
    /// Whether bluetoothd and its bus are available.
    package var hasBluetooth: Bool
    /// Number of working adapters.
    package var adapters: Int
    package var isUndervoltage: Bool?
    /// How long the oldest record has waited for the broker; nil for none.
    package var backlogAge: Duration?
    /// Whether the ring log is only in memory.
    package var isRingLost: Bool
    /// How long the disk has not answered.
    package var diskDelay: Duration
    /// Whether the wall clock is synchronized.
    package var isClockRight: Bool

    package init(
        hasBluetooth: Bool, adapters: Int, isUndervoltage: Bool? = nil,
        backlogAge: Duration? = nil, isRingLost: Bool = false, diskDelay: Duration = .zero,
        isClockRight: Bool = true
    ) {
        self.hasBluetooth = hasBluetooth
        self.adapters = adapters
        self.isUndervoltage = isUndervoltage
        self.backlogAge = backlogAge
        self.isRingLost = isRingLost
        self.diskDelay = diskDelay
        self.isClockRight = isClockRight
    }
}

/// The gateway's own alerts, and the level that is out of service for all its ergs.
package struct GatewayAlerts: Sendable {
    /// The limits that no setting changes.
    private enum Limit {
        /// The backlog counts as recovered below this many seconds.
        static let backlogExit = 10
        /// An SD card normally stalls for a second or two.
        static let diskDelay = (seconds: 5, exit: 1)
    }

    private var tracker: AlertTracker
    private let longestBacklog: Int

    /// - Parameters:
    ///   - firing: the active alerts of the last process.
    ///   - makeID: returns a new ULID for each alert.
    package init(
        _ settings: AlertSettings, firing: [Alert] = [], makeID: @escaping @Sendable () -> String
    ) {
        tracker = AlertTracker(settings.ofGateway, firing: firing, makeID: makeID)
        longestBacklog = Int(settings.longestBacklog.components.seconds)
    }

    /// Active alerts, in the order of the rules.
    package var firing: [Alert] { tracker.firing }

    /// Acknowledges an alert. Returns it with the first person who acknowledged it; nil if no
    /// active alert has this id.
    package mutating func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, into alerts: inout [Alert]
    ) -> Alert? {
        tracker.acknowledge(id, by: name, at: now, into: &alerts)
    }

    /// Removes `name` as the person who acknowledged active alerts.
    package mutating func forget(_ name: String) { tracker.forget(name) }

    /// The level that is out of service for every erg; nil for none.
    package var outage: AlertRule.Level? { tracker.detectedOutage }

    /// Evaluates a moment; called every few seconds.
    package mutating func evaluate(
        _ moment: GatewayMoment, at now: BootInstant, into alerts: inout [Alert]
    ) {
        tracker.end(allBut: nil, at: now, into: &alerts)
        let readings: [(AlertRule, AlertReading)] = [
            (.bluetoothLost, AlertReading(isWrong: !moment.hasBluetooth)),
            (.adapterLost, AlertReading(isWrong: moment.adapters == 0)),
            (.undervoltage, moment.isUndervoltage.map { AlertReading(isWrong: $0) } ?? .unknown),
            (
                .backlog,
                AlertReading(
                    moment.backlogAge ?? .zero,
                    (longestBacklog, min(Limit.backlogExit, longestBacklog / 2)))
            ),
            (.ring, AlertReading(isWrong: moment.isRingLost)),
            (.disk, AlertReading(moment.diskDelay, Limit.diskDelay)),
            (.clock, AlertReading(isWrong: !moment.isClockRight)),
        ]
        for (rule, reading) in readings {
            tracker.evaluate(rule, reading, at: now, into: &alerts)
        }
    }
}

extension AlertReading {
    /// A duration that should be short.
    fileprivate init(_ time: Duration, _ limit: (seconds: Int, exit: Int)) {
        self.init(Int(time.components.seconds), below: limit.seconds, exit: limit.exit)
    }
}
