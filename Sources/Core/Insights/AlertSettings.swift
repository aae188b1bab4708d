import Rowing

/// Which rules are on, and what they are held against.
package struct AlertSettings: Equatable, Sendable {
    /// Rules without a figure of their own.
    package static let usual: Set<AlertRule> = [
        .linkLost, .stopped, .batteryLow, .adapterLost, .bluetoothLost, .undervoltage, .backlog,
        .ring, .disk, .clock,
    ]

    /// Those that are on, without the four below.
    package var rules = Self.usual
    /// Beats per minute that are too many; nil: the rule is off.
    package var highestHeartRate: Int?
    /// The fastest and the slowest pace; nil: the rule is off.
    package var paces: ClosedRange<Pace>?
    /// Strokes per minute; nil: the rule is off.
    package var rates: ClosedRange<Int>?
    /// Drag factors; nil: the rule is off.
    package var drags: ClosedRange<Int>?
    /// Percent, below which a battery is low.
    package var lowestBattery = 15
    /// How long records may wait for the broker: for seconds they do when its network hiccups.
    package var longestBacklog = Duration.seconds(60)

    package init() {}

    /// With the limits of who sits there: those that they have of their own.
    package func limited(by own: AlertSettings) -> AlertSettings {
        var settings = self
        settings.highestHeartRate = own.highestHeartRate ?? highestHeartRate
        settings.paces = own.paces ?? paces
        settings.rates = own.rates ?? rates
        settings.drags = own.drags ?? drags
        return settings
    }

    /// Whether a rule is on.
    package func has(_ rule: AlertRule) -> Bool {
        switch rule {
        case .heartRateHigh: highestHeartRate != nil
        case .offPace: paces != nil
        case .rateOutOfBand: rates != nil
        case .dragOutOfBand: drags != nil
        default: rules.contains(rule)
        }
    }

    /// Rules that are on, of an erg and what is rowed on it, and those that a target may turn on.
    var ofErg: [AlertRule] {
        AlertRule.allCases.filter { $0.level >= .erg && (has($0) || $0.isOfTarget) }
    }

    /// Rules that are on, of the gateway and its radios.
    var ofGateway: [AlertRule] { AlertRule.allCases.filter { $0.level < .erg && has($0) } }
}
