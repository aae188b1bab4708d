/// The alerts for a coach during a session. Not a medical device: heart rates come from a belt.
package enum AlertRule: String, CaseIterable, Sendable {
    /// No stroke for three expected ones, and for at least 6 s, inside a piece.
    case stopped
    /// The mean power of three strokes is a small part of that of the minute before.
    case powerCollapse = "power_collapse"
    case offPace = "off_pace"
    case rateOutOfBand = "rate_out_of_band"
    case heartRateHigh = "heart_rate_high"
    /// A belt was received in the session, and no longer is.
    case heartRateLost = "heart_rate_lost"
    case dragOutOfBand = "drag_out_of_band"
    /// The link to the monitor was lost during a session.
    case linkLost = "link_lost"
    case batteryLow = "battery_low"
    /// No Bluetooth adapter works.
    case adapterLost = "adapter_lost"
    /// bluetoothd or its bus is missing.
    case bluetoothLost = "bluetooth_lost"
    case undervoltage
    /// Records have waited for the broker for too long.
    case backlog
    /// The ring log is not on disk.
    case ring
    /// The disk does not answer.
    case disk
    /// The wall clock is not synchronized.
    case clock

    /// The subject of a rule. If a level is out of service, rules that depend on it cannot be
    /// judged.
    package enum Level: Int, Comparable, Sendable {
        case gateway, adapter, erg, rowed

        package static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The subject of the rule.
    package var level: Level {
        switch self {
        case .stopped, .powerCollapse, .offPace, .rateOutOfBand, .heartRateHigh, .heartRateLost,
            .dragOutOfBand:
            .rowed
        case .linkLost, .batteryLow: .erg
        case .adapterLost: .adapter
        case .bluetoothLost, .undervoltage, .backlog, .ring, .disk, .clock: .gateway
        }
    }

    /// Whether it suppresses the rules of the levels below, which would report the same fault.
    package var isOutage: Bool {
        self == .linkLost || self == .adapterLost || self == .bluetoothLost
    }

    /// Whether the alert ends with the session.
    package var isOfSession: Bool { level == .rowed || self == .linkLost }

    /// Whether a session's target replaces the configured limit.
    var isOfTarget: Bool { self == .offPace || self == .rateOutOfBand }

    /// The urgency of an alert.
    package enum Severity: String, Sendable { case warning, critical }

    /// The urgency of the alert.
    package var severity: Severity {
        switch self {
        case .heartRateHigh, .adapterLost, .bluetoothLost, .ring: .critical
        default: .warning
        }
    }

    /// How long the value must be wrong, and then right, and the pause before the next alert.
    package var timing: AlertTiming {
        switch self {
        case .stopped: AlertTiming(hold: .time(.zero), keep: .time(.seconds(2)), pause: 30)
        case .powerCollapse: AlertTiming(hold: .strokes(1), keep: .strokes(3), pause: 60)
        case .offPace: AlertTiming(hold: .strokes(5), keep: .strokes(3), pause: 30)
        case .rateOutOfBand: AlertTiming(hold: .strokes(3), keep: .strokes(3), pause: 30)
        case .heartRateHigh:
            AlertTiming(hold: .time(.seconds(10)), keep: .time(.seconds(10)), pause: 60)
        case .heartRateLost:
            AlertTiming(hold: .time(.seconds(10)), keep: .time(.seconds(5)), pause: 60)
        case .dragOutOfBand: AlertTiming(hold: .strokes(3), keep: .strokes(3), pause: 60)
        case .linkLost: AlertTiming(hold: .time(.seconds(5)), keep: .time(.seconds(5)), pause: 0)
        case .batteryLow: AlertTiming(hold: .time(.zero), keep: .time(.zero), pause: 3600)
        case .adapterLost, .bluetoothLost:
            AlertTiming(hold: .time(.seconds(10)), keep: .time(.seconds(5)), pause: 0)
        case .undervoltage, .ring, .disk:
            AlertTiming(hold: .time(.zero), keep: .time(.seconds(30)), pause: 300)
        case .backlog:
            AlertTiming(hold: .time(.seconds(10)), keep: .time(.seconds(10)), pause: 60)
        case .clock: AlertTiming(hold: .time(.seconds(600)), keep: .time(.zero), pause: 0)
        }
    }
}

/// How long a rule must be broken before the alert starts, and kept before it ends.
package struct AlertTiming: Equatable, Sendable {
    /// Seconds or strokes.
    package enum Span: Equatable, Sendable {
        case time(Duration)
        case strokes(Int)
    }

    /// Wrong for this long: the alert starts.
    package var hold: Span
    /// Right for this long: the alert ends.
    package var keep: Span
    /// Minimum time from the end of an alert to the next start.
    package var pause: Duration

    package init(hold: Span, keep: Span, pause seconds: Int) {
        self.hold = hold
        self.keep = keep
        pause = .seconds(seconds)
    }
}
