/// What a coach is told of while it happens. No medical device: a heart rate is what a belt tells.
package enum AlertRule: String, CaseIterable, Sendable {
    /// No stroke for three expected ones, and for 6 s at least, inside a piece.
    case stopped
    /// The mean of three strokes is a small part of that of the minute before.
    case powerCollapse = "power_collapse"
    case offPace = "off_pace"
    case rateOutOfBand = "rate_out_of_band"
    case heartRateHigh = "heart_rate_high"
    /// A belt was heard in the session, and is not any more.
    case heartRateLost = "heart_rate_lost"
    case dragOutOfBand = "drag_out_of_band"
    /// The link to the monitor is lost within a session.
    case linkLost = "link_lost"
    case batteryLow = "battery_low"
    /// No Bluetooth adapter works.
    case adapterLost = "adapter_lost"
    /// There is no bluetoothd, or no bus to it.
    case bluetoothLost = "bluetooth_lost"
    case undervoltage
    /// Records have waited for the broker for long.
    case backlog
    /// The ring log is not on disk.
    case ring
    /// The disk does not answer.
    case disk
    /// Nothing keeps the wall clock right.
    case clock

    /// What a rule is about. Where something is out, nothing that stands on it can be judged.
    package enum Level: Int, Comparable, Sendable {
        case gateway, adapter, erg, rowed

        package static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// What a rule is about.
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

    /// Whether it silences the rules of the levels below its own: they would tell of the same thing.
    package var isOutage: Bool {
        self == .linkLost || self == .adapterLost || self == .bluetoothLost
    }

    /// Whether the end of the session is the end of the alert.
    package var isOfSession: Bool { level == .rowed || self == .linkLost }

    /// Whether a session's target is what it is held against, before what the configuration says.
    var isOfTarget: Bool { self == .offPace || self == .rateOutOfBand }

    /// How soon somebody has to look.
    package enum Severity: String, Sendable { case warning, critical }

    /// How soon somebody has to look.
    package var severity: Severity {
        switch self {
        case .heartRateHigh, .adapterLost, .bluetoothLost, .ring: .critical
        default: .warning
        }
    }

    /// For how long it has to be wrong, and then to be right, and how soon it may come again.
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

/// For how long a rule has to be broken before it fires, and kept before it is resolved.
package struct AlertTiming: Equatable, Sendable {
    /// Seconds or strokes.
    package enum Span: Equatable, Sendable {
        case time(Duration)
        case strokes(Int)
    }

    /// Wrong for so long, it fires.
    package var hold: Span
    /// Right for so long, it is resolved.
    package var keep: Span
    /// From a resolution to the next time that it fires.
    package var pause: Duration

    package init(hold: Span, keep: Span, pause seconds: Int) {
        self.hold = hold
        self.keep = keep
        pause = .seconds(seconds)
    }
}
