extension StatusReply {
    /// One erg: its link, and what is rowed on it.
    package struct Erg: Codable, Equatable, Sendable {
        /// The place in the room, as configured.
        package var slug: String
        /// Nine digits; nil while no monitor has been seen in this place.
        package var serial: String?
        /// How its monitor is reached.
        package var link: Link
        /// idle, ready, rowing, paused, resting or finished; nil while nothing is known.
        package var state: String?
        /// Of the session that is under way, or that was `finished`; nil elsewhere.
        package var sessionID: String?
        /// Time of work since the session began, rests left out; nil outside a session.
        package var elapsedSeconds: Double?
        /// Distance of work since the session began, rests left out; nil outside a session.
        package var distanceMeters: Double?
        /// Nil when nobody rows.
        package var paceSecondsPer500m: Double?
        /// Strokes per minute; nil when nobody rows.
        package var strokeRate: Int?
        /// Of the last drive; nil when nobody rows.
        package var powerWatts: Int?
        /// Beats per minute; nil outside a session and without a belt.
        package var heartRate: Int?
        /// `below`, `in` or `above` what was asked for; nil without a target, and where there is no
        /// figure to hold against it. So are the three behind it.
        package var paceVsTarget: String?
        package var powerVsTarget: String?
        package var strokeRateVsTarget: String?
        package var heartRateVsTarget: String?
        /// Of the monitor, when it last told; nil before.
        package var batteryPercent: Int?
        /// Whether the monitor wants new batteries.
        package var isBatteryLow = false
        /// What fires, in the order of the rules.
        package var alerts: [Alert] = []
        /// Alerts that began since the start.
        package var alertsTotal = 0
        /// Values that no decoder understood, since the start.
        package var undecodableTotal: Int

        package init(slug: String, serial: String? = nil, link: Link, undecodableTotal: Int = 0) {
            self.slug = slug
            self.serial = serial
            self.link = link
            self.undecodableTotal = undecodableTotal
        }

        enum CodingKeys: String, CodingKey {
            case slug, serial, link, state, alerts
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
            case undecodableTotal = "undecodable_total"
        }
    }

    /// An alert that fires.
    package struct Alert: Codable, Equatable, Sendable {
        /// ULID; its records and messages have the same.
        package var id: String
        /// As in the records: `stopped`.
        package var rule: String
        /// `warning` or `critical`.
        package var severity: String
        /// What was measured when it began, in the unit of the rule.
        package var value: Double?
        /// What the value passed.
        package var threshold: Double?
        /// Since it began to be wrong.
        package var ageSeconds: Double
        /// Nil for what is not about a session.
        package var sessionID: String?
        /// Since somebody said that they had seen it; nil as long as nobody has.
        package var acknowledgedAgeSeconds: Double?
        /// Who, where they said so.
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

    /// Where a link stands: from not heard of, over connecting, to values arriving.
    package enum LinkPhase: String, Codable, CaseIterable, Sendable {
        case searching, waiting, connecting, resolving, subscribing, streaming, parked, released
        case asleep
    }

    /// The Bluetooth link of one erg.
    package struct Link: Codable, Equatable, Sendable {
        /// `streaming` is all well; `parked`, `released` and `asleep` are on purpose.
        package var phase: LinkPhase
        /// Why it is parked, in words for a coach.
        package var parkedReason: String?
        /// Why it is released, in words for a coach.
        package var releaseReason: String?
        /// Why it is asleep, in words for a coach.
        package var sleepReason: String?
        /// Until it is looked for again; nil for a release until told.
        package var releasedForSeconds: Double?
        /// The adapter that holds the link, by the kernel's name: `hci0`.
        package var adapter: String?
        /// Signal strength when the monitor was last heard advertising.
        package var rssiDBm: Int?
        /// How long the link has been up.
        package var ageSeconds: Double?
        /// Over the last seconds.
        package var notificationsPerSecond: Double?
        /// Since the last notification.
        package var silenceSeconds: Double?
        /// Links opened after the first, since the start.
        package var reconnects: Int
        /// Of these, links that stood and only had to be subscribed anew.
        package var resubscriptions = 0
        /// Times that BlueZ was made to forget it, since the start.
        package var removals = 0
        /// In words; nil while nothing has failed since the start.
        package var lastFailure: String?
        /// What is wrong and what to do, in a sentence for whoever stands beside the erg; nil while
        /// all is well.
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
