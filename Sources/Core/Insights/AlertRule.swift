import Contract
import PM5Codec

/// The alerts for a coach during a session. Not a medical device: heart rates come from a belt.
package enum AlertRule: String, CaseIterable, Sendable {
    /// No stroke in a piece for several seconds, and for several expected strokes (`ErgAlerts`).
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
        case gateway, adapter, erg, performance

        package static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The subject of the rule.
    package var level: Level {
        switch self {
        case .stopped, .powerCollapse, .offPace, .rateOutOfBand, .heartRateHigh, .heartRateLost,
            .dragOutOfBand:
            .performance
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
    package var endsWithSession: Bool { level == .performance || self == .linkLost }

    /// Whether a session's target replaces the configured limit.
    var usesTarget: Bool { self == .offPace || self == .rateOutOfBand }

    /// The urgency of an alert.
    package enum Severity: String, Sendable { case warning, critical }

    /// The urgency of the alert.
    package var severity: Severity {
        switch self {
        case .heartRateHigh, .adapterLost, .bluetoothLost, .ring: .critical
        default: .warning
        }
    }
}

extension AlertRule {
    /// How long the value must be wrong, and then right, and the pause before the next alert.
    package var timing: AlertTiming {
        switch self {
        case .stopped: AlertTiming(raiseAfter: .time(.zero), resolveAfter: .time(.seconds(2)), pause: 30)
        case .powerCollapse: AlertTiming(raiseAfter: .strokes(1), resolveAfter: .strokes(3), pause: 60)
        case .offPace: AlertTiming(raiseAfter: .strokes(5), resolveAfter: .strokes(3), pause: 30)
        case .rateOutOfBand: AlertTiming(raiseAfter: .strokes(3), resolveAfter: .strokes(3), pause: 30)
        case .heartRateHigh:
            AlertTiming(raiseAfter: .time(.seconds(10)), resolveAfter: .time(.seconds(10)), pause: 60)
        case .heartRateLost:
            AlertTiming(raiseAfter: .time(.seconds(10)), resolveAfter: .time(.seconds(5)), pause: 60)
        case .dragOutOfBand: AlertTiming(raiseAfter: .strokes(3), resolveAfter: .strokes(3), pause: 60)
        case .linkLost:
            AlertTiming(raiseAfter: .time(.seconds(5)), resolveAfter: .time(.seconds(5)), pause: 0)
        case .batteryLow: AlertTiming(raiseAfter: .time(.zero), resolveAfter: .time(.zero), pause: 3600)
        case .adapterLost, .bluetoothLost:
            AlertTiming(raiseAfter: .time(.seconds(10)), resolveAfter: .time(.seconds(5)), pause: 0)
        case .undervoltage, .ring, .disk:
            AlertTiming(raiseAfter: .time(.zero), resolveAfter: .time(.seconds(30)), pause: 300)
        case .backlog:
            AlertTiming(raiseAfter: .time(.seconds(10)), resolveAfter: .time(.seconds(10)), pause: 60)
        case .clock: AlertTiming(raiseAfter: .time(.seconds(600)), resolveAfter: .time(.zero), pause: 0)
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
    package var raiseAfter: Span
    /// Right for this long: the alert ends.
    package var resolveAfter: Span
    /// Minimum time from the end of an alert to the next start.
    package var pause: Duration

    package init(raiseAfter: Span, resolveAfter: Span, pause seconds: Int) {
        self.raiseAfter = raiseAfter
        self.resolveAfter = resolveAfter
        pause = .seconds(seconds)
    }
}
