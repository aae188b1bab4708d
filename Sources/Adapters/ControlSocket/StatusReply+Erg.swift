extension StatusReply {
    /// One erg: its link and its current session.
    package struct Erg: Codable, Equatable, Sendable {
        /// The erg's slug, as configured.
        package var slug: String
        /// Nine digits; nil until a monitor was seen for this erg.
        package var serial: String?
        /// The machine that the monitor reports, as in the records: `model_d`; nil before.
        package var machineType: String?
        /// The Bluetooth link.
        package var link: Link
        /// idle, ready, rowing, paused, resting or finished; nil if unknown.
        package var state: String?
        /// The current session, or the `finished` one; nil otherwise.
        package var sessionID: String?
        /// Work time of the session, without rests; nil outside a session.
        package var elapsedSeconds: Double?
        /// Work distance of the session, without rests; nil outside a session.
        package var distanceMeters: Double?
        /// Seconds per 500 m, on a BikeErg too; nil unless rowing.
        package var paceSecondsPer500m: Double?
        /// Strokes per minute; nil unless rowing.
        package var strokeRate: Int?
        /// Power of the last drive; nil unless rowing.
        package var powerWatts: Int?
        /// Beats per minute; nil outside a session and without a belt.
        package var heartRate: Int?
        /// `below`, `in` or `above` the target; nil without a target or without a value to compare.
        /// The same applies to the next three.
        package var paceVsTarget: String?
        package var powerVsTarget: String?
        package var strokeRateVsTarget: String?
        package var heartRateVsTarget: String?
        /// Battery charge that the monitor last reported; nil before the first report.
        package var batteryPercent: Int?
        /// Whether the batteries need to be replaced.
        package var isBatteryLow = false
        /// How far the monitor's clock was ahead when it was read, to half a minute; negative if it was behind. Nil
        /// unless rowgate sets the clocks of monitors.
        package var clockOffsetSeconds: Int?
        /// How often the monitor's clock was set since the daemon started.
        package var clockSettings = 0
        /// Active alerts, in the order of the rules.
        package var alerts: [Alert] = []
        /// Alerts since the daemon started.
        package var alertsTotal = 0
        /// Bluetooth values that could not be decoded, since the daemon started.
        package var undecodableTotal: Int

        package init(slug: String, serial: String? = nil, link: Link, undecodableTotal: Int = 0) {
            self.slug = slug
            self.serial = serial
            self.link = link
            self.undecodableTotal = undecodableTotal
        }

        enum CodingKeys: String, CodingKey {
            case slug, serial, link, state, alerts
            case machineType = "machine_type"
            case alertsTotal = "alerts_total"
            case sessionID = "session_id"
            case elapsedSeconds = "elapsed_s"
            case distanceMeters = "distance_m"
            case paceSecondsPer500m = "pace_s_per_500m"
            case strokeRate = "stroke_rate_spm"
            case powerWatts = "power_w"
            case heartRate = "heart_rate_bpm"
            case paceVsTarget = "pace_vs_target"
            case powerVsTarget = "power_vs_target"
            case strokeRateVsTarget = "stroke_rate_vs_target"
            case heartRateVsTarget = "heart_rate_vs_target"
            case batteryPercent = "battery_pct"
            case isBatteryLow = "battery_low"
            case clockOffsetSeconds = "clock_offset_s"
            case clockSettings = "clock_set_total"
            case undecodableTotal = "undecodable_total"
        }
    }

    /// An active alert.
    package struct Alert: Codable, Equatable, Sendable {
        /// ULID, the same as in records and messages.
        package var id: String
        /// Rule name, as in the records: `stopped`.
        package var rule: String
        /// `warning` or `critical`.
        package var severity: String
        /// Measured value at the beginning, in the unit of the rule.
        package var value: Double?
        /// The limit that the value passed.
        package var threshold: Double?
        /// Time since the condition began.
        package var ageSeconds: Double
        /// Nil if the alert does not belong to a session.
        package var sessionID: String?
        /// Time since the alert was acknowledged; nil if it was not.
        package var acknowledgedAgeSeconds: Double?
        /// Name of the person who acknowledged it, if given.
        package var acknowledgedBy: String?

        package init(id: String, rule: String, severity: String, ageSeconds: Double) {
            self.id = id
            self.rule = rule
            self.severity = severity
            self.ageSeconds = ageSeconds
        }

        enum CodingKeys: String, CodingKey {
            case id, rule, severity, value, threshold
            case ageSeconds = "age_s"
            case sessionID = "session_id"
            case acknowledgedAgeSeconds = "acknowledged_age_s"
            case acknowledgedBy = "acknowledged_by"
        }
    }

    /// Phase of a link, from searching to streaming.
    package enum LinkPhase: String, Codable, CaseIterable, Sendable {
        case searching, waiting, connecting, resolving, subscribing, streaming, parked, released
        case asleep
    }

    /// The Bluetooth link of one erg.
    package struct Link: Codable, Equatable, Sendable {
        /// `streaming` is normal; `parked`, `released` and `asleep` are intended.
        package var phase: LinkPhase
        /// Why the link is parked, as text for a coach.
        package var parkedReason: String?
        /// Why the monitor is released, as text for a coach.
        package var releaseReason: String?
        /// Why the monitor is asleep, as text for a coach.
        package var sleepReason: String?
        /// Time until rowgate reconnects; nil for a release without a time limit.
        package var releasedForSeconds: Double?
        /// The kernel's name of the link's adapter: `hci0`.
        package var adapter: String?
        /// Signal strength of the monitor's last advertisement.
        package var rssiDBm: Int?
        /// How long the link has been up.
        package var ageSeconds: Double?
        /// Mean rate over the last seconds.
        package var notificationsPerSecond: Double?
        /// Time since the last notification.
        package var silenceSeconds: Double?
        /// Links opened after the first, since the daemon started.
        package var reconnects: Int
        /// Reconnects for which the Bluetooth link was still open and only needed new subscriptions.
        package var resubscriptions = 0
        /// Times that rowgate removed the device from BlueZ, since the daemon started.
        package var removals = 0
        /// The last failure as text; nil if there was none since the daemon started.
        package var lastFailure: String?
        /// The problem and its remedy, for a person at the erg; nil if there is none.
        package var advice: String?

        package init(phase: LinkPhase, reconnects: Int = 0) {
            self.phase = phase
            self.reconnects = reconnects
        }

        enum CodingKeys: String, CodingKey {
            case phase, adapter, reconnects, resubscriptions, removals, advice
            case parkedReason = "parked_reason"
            case releaseReason = "release_reason"
            case releasedForSeconds = "released_for_s"
            case sleepReason = "sleep_reason"
            case rssiDBm = "rssi_dbm"
            case ageSeconds = "age_s"
            case notificationsPerSecond = "notifications_per_s"
            case silenceSeconds = "silence_s"
            case lastFailure = "last_failure"
        }
    }
}
