import PM5Codec
import Rowing

/// The enabled rules, and those limits that the configuration sets.
///
/// The other limits are constants of the parts that apply them: `AlertRule.timing`, `ErgAlerts`, `PowerCollapse`,
/// `GatewayAlerts` and `AlertTracker`.
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
