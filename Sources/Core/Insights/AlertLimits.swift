import PM5Codec
import Rowing
import Timeline

/// The limits of alerts that no setting changes. `Topics.md` repeats those that a coach notices.
package enum AlertLimits {
    /// A shorter time without a stroke is not a stop, at any stroke rate.
    package static let shortestStop = Duration.seconds(6)
    /// Expected strokes that the rower must miss.
    static let missedStrokes = 3
    /// The first strokes of an interval are not judged, since they start from rest.
    static let startingStrokes = 3
    /// Percent of the minute before: below `percent` it is a collapse, from `exit` on it is over.
    static let collapse = (percent: 40, exit: 60)
    /// A heart rate is right again this many beats below the limit.
    static let heartRateMargin = 3
    /// A pace is right again this far inside the band, in hundredths of a second per 500 m.
    static let paceMargin = 50
    /// A battery is right again this many percent above the limit.
    static let batteryMargin = 5
    /// A new process has no links. By this time all available links are back.
    package static let linksReturn = Duration.seconds(180)
    /// The backlog counts as recovered below this many seconds.
    static let backlogExit = 10
    /// An SD card normally stalls for a second or two.
    static let diskDelay = (seconds: 5, exit: 1)
    /// Maximum number of new alerts per minute; a further one waits, and is reported if it still
    /// holds then.
    package static let mostPerMinute = 6
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

/// The enabled rules and their limits.
package struct AlertSettings: Equatable, Sendable {
    /// Rules without a limit.
    package static let usual: Set<AlertRule> = [
        .linkLost, .stopped, .batteryLow, .adapterLost, .bluetoothLost, .undervoltage, .backlog,
        .ring, .disk, .clock,
    ]

    /// The enabled rules, without the four below.
    package var rules = Self.usual
    /// Maximum beats per minute; nil: the rule is disabled.
    package var highestHeartRate: Int?
    /// The fastest and the slowest pace; nil: the rule is disabled.
    package var paces: ClosedRange<Pace>?
    /// Strokes per minute; nil: the rule is disabled.
    package var rates: ClosedRange<Int>?
    /// Drag factors; nil: the rule is disabled.
    package var drags: ClosedRange<Int>?
    /// Percentage below which a battery is low.
    package var lowestBattery = 15
    /// How long records may wait for the broker; some seconds are normal after a network fault.
    package var longestBacklog = Duration.seconds(60)

    package init() {}

    /// Returns the settings with the limits of the assigned athlete, where there are any.
    package func limited(by own: AlertSettings) -> AlertSettings {
        var settings = self
        settings.highestHeartRate = own.highestHeartRate ?? highestHeartRate
        settings.paces = own.paces ?? paces
        settings.rates = own.rates ?? rates
        settings.drags = own.drags ?? drags
        return settings
    }

    /// Whether a rule is enabled.
    package func has(_ rule: AlertRule) -> Bool {
        switch rule {
        case .heartRateHigh: highestHeartRate != nil
        case .offPace: paces != nil
        case .rateOutOfBand: rates != nil
        case .dragOutOfBand: drags != nil
        default: rules.contains(rule)
        }
    }

    /// Enabled rules of an erg and its session, and rules that a target may enable.
    var ofErg: [AlertRule] {
        AlertRule.allCases.filter { $0.level >= .erg && (has($0) || $0.usesTarget) }
    }

    /// Enabled rules of the gateway and its radios.
    var ofGateway: [AlertRule] { AlertRule.allCases.filter { $0.level < .erg && has($0) } }
}
