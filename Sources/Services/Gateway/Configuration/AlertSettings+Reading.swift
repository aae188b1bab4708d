import Insights
import Rowing
import Settings

/// Reads alert settings: `[alerts]`, and the exceptions in an `[[erg]]` or an `[[athlete]]`.
extension AlertSettings {
    /// Rules of an erg that are switched on or off; the others have a limit instead.
    private static let switchedAtErgs: [AlertRule] = [
        .stopped, .linkLost, .batteryLow, .powerCollapse, .heartRateLost,
    ]
    private static let switchedAtGateway: [AlertRule] = [
        .bluetoothLost, .adapterLost, .undervoltage, .backlog, .ring, .disk, .clock,
    ]

    /// Reads the section `[alerts]`.
    init(reading section: inout ConfigurationSection) {
        self.init()
        for rule in Self.switchedAtErgs + Self.switchedAtGateway {
            set(rule, section.boolean(rule.rawValue, default: rules.contains(rule)))
        }
        lowestBattery = section.integer("battery_min_pct", in: 5...90, default: lowestBattery)
        longestBacklog = .seconds(
            section.integer(
                "backlog_max_s", in: 10...86_400, default: Int(longestBacklog.components.seconds)))
        readLimits(from: &section, prefix: "")
    }

    /// Reads the exceptions in an `[[erg]]`.
    mutating func readOwn(from section: inout ConfigurationSection) {
        section.listsUnsetKeys = false
        for rule in Self.switchedAtErgs {
            set(rule, section.boolean("alert_" + rule.rawValue, default: rules.contains(rule)))
        }
        lowestBattery = section.integer(
            "alert_battery_min_pct", in: 5...90, default: lowestBattery)
        readLimits(from: &section, prefix: "alert_")
        section.listsUnsetKeys = true
    }

    private mutating func set(_ rule: AlertRule, _ isOn: Bool) {
        if isOn { rules.insert(rule) } else { rules.remove(rule) }
    }

    /// Reads the limits of the rules; a missing key leaves its limit unchanged.
    ///
    /// - Parameter prefix: of the keys.
    mutating func readLimits(from section: inout ConfigurationSection, prefix: String) {
        highestHeartRate =
            section.optionalInteger(prefix + "heart_rate_max_bpm", in: 60...250)
            ?? highestHeartRate
        let seconds = paces.map { $0.lowerBound.seconds...$0.upperBound.seconds }
        paces = section.band(prefix + "pace_", "_s", in: 60...600, else: seconds).map {
            Pace(seconds: $0.lowerBound)...Pace(seconds: $0.upperBound)
        }
        rates = section.band(prefix + "rate_", "_spm", in: 10...60, else: rates)
        drags = section.band(prefix + "drag_", "", in: 50...250, else: drags)
    }
}

extension ConfigurationSection {
    /// Reads the two keys that bound a value; `fallback` if both are missing.
    fileprivate mutating func band(
        _ name: String, _ unit: String, in range: ClosedRange<Int>, else fallback: ClosedRange<Int>?
    ) -> ClosedRange<Int>? {
        let (low, high) = ("\(name)min\(unit)", "\(name)max\(unit)")
        let (least, most) = (optionalInteger(low, in: range), optionalInteger(high, in: range))
        guard least != nil || most != nil else { return fallback }
        let band = (
            least ?? fallback?.lowerBound ?? range.lowerBound,
            most ?? fallback?.upperBound ?? range.upperBound
        )
        guard band.0 <= band.1 else {
            report(low, "\(band.0) is above \(high), which is \(band.1)")
            return nil
        }
        return band.0...band.1
    }
}

extension Pace {
    fileprivate init(seconds: Int) { self.init(millisecondsPer500m: Int64(seconds) * 1000) }

    fileprivate var seconds: Int { Int(millisecondsPer500m / 1000) }
}
