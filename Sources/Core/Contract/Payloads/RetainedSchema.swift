import Bytes

/// Validates retained messages of gateways, in the fields that the logbook reads. Any client with access
/// to the broker can replace these messages.
///
/// Other fields may have any value, because later gateways add fields.
package enum RetainedSchema {
    /// Allowed values of a field.
    enum Value: Sendable {
        case text
        case word([String])
        case texts
        case flag
        case number(ClosedRange<Double>)
        /// An object with a number for each erg or adapter.
        case numbers(ClosedRange<Double>)
        case textsByName
        /// A list of objects with these fields.
        case objects([String: Value])
    }

    /// Maximum number of characters of a text, more than any gateway sends.
    static let maximumTextLength = 2000
    /// Maximum number of elements of a list or an object, more than any gateway sends.
    static let maximumElements = 512
    /// Integers that every JSON parser reads exactly.
    private static let count = Value.number(0...9_007_199_254_740_992)
    private static let counts = Value.numbers(0...9_007_199_254_740_992)
    private static let share = Value.number(0...100)

    /// Fields of each kind, by the last level of the topic.
    static let fields: [String: [String: Value]] = [
        "birth": [
            "version": .text, "epoch": .text, "ergs": .texts, "discovery": .text,
        ],
        "health": health, "state": ["state": .text, "reason": .text, "reason_code": .text],
        "info": ["battery_pct": share], "workouts": ["workouts": .textsByName],
        "roster": [
            "source": .word(RosterReport.Source.allCases.map(\.rawValue)), "athletes": count,
            "publish_names": .flag, "power_6k": .flag, "revision": .text, "logbook": .text,
        ],
        "relays": ["relays": .objects(["adapter": .text, "erg": .text, "state": .text])],
        "alerts": [
            "firing": count, "severity": .text, "rules": .texts, "alert_ids": .texts,
            "acknowledged_ms": counts, "acknowledged_by": .textsByName,
        ],
    ]

    private static let health: [String: Value] = [
        "status": .word(["ok", "degraded", "failed"]), "reasons": .texts,
        "problems": .objects([
            "code": .text, "severity": .word(["warning", "critical"]), "erg": .text, "text": .text,
            "remedy": .text,
        ]),
        "left_out": .texts,
        "clock": .word(["synced", "unsynced"]), "adapters_up": count, "slots_used": count,
        "slots_total": count, "ergs_online": count, "ergs_asleep": count, "ergs_configured": count,
        "broker_connected": .flag, "broker_certificate_end_ms": count,
        "own_certificate_end_ms": count, "backlog_messages": count, "backlog_age_s": count,
        "rejected_total": count, "unsubscribed_total": count, "too_long_total": count,
        "commands_rejected_total": count, "ring_used_pct": share, "ring_reach_s": count,
        "ring_dropped_total": count, "disk_behind_s": count, "commit_worst_ms": count,
        "load_step": .number(0...4), "queue_delay_ms": count, "cpu_pct": share,
        "disk_free_bytes": count, "cpu_temp_c": .number(-100...200), "undervoltage": .flag,
        "notifications_per_s": count, "publish_p99_ms": count,
        "erg_rssi_dbm": .numbers(-127...20), "erg_battery_pct": .numbers(0...100),
        "erg_link_age_s": counts, "erg_silence_s": counts, "erg_reconnects_total": counts,
        "adapter_links": counts, "adapter_links_max": counts, "adapter_power_cycles_total": counts,
    ]

    /// Whether all known fields have allowed values. Unknown kinds are valid.
    ///
    /// - Parameter kind: the last level of the topic.
    package static func fits(_ object: JSONObject, _ kind: String) -> Bool {
        guard let fields = fields[kind] else { return true }
        if kind == "health", object["status"] == nil { return false }
        return object.members.allSatisfy { member in
            fields[member.name].map { $0.allows(member.value) } ?? true
        }
    }
}

extension RetainedSchema.Value {
    fileprivate func allows(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.text, .text(let text)): Self.isShort(text)
        case (.word(let words), .text(let text)): words.contains(text)
        case (.flag, .flag): true
        case (.texts, .list(let values)):
            values.count <= RetainedSchema.maximumElements
                && values.allSatisfy {
                    if case .text(let text) = $0 { Self.isShort(text) } else { false }
                }
        case (.number(let range), .number(let digits)): Self.isNumber(digits, in: range)
        case (.numbers(let range), .object(let object)):
            object.members.count <= RetainedSchema.maximumElements
                && object.members.allSatisfy { member in
                    guard case .number(let digits) = member.value else { return false }
                    return member.name.utf8.count <= 32 && Self.isNumber(digits, in: range)
                }
        case (.textsByName, .object(let object)):
            object.members.count <= RetainedSchema.maximumElements
                && object.members.allSatisfy { member in
                    guard case .text(let text) = member.value else { return false }
                    return member.name.utf8.count <= 32 && Self.isShort(text)
                }
        case (.objects(let fields), .list(let values)):
            values.count <= RetainedSchema.maximumElements
                && values.allSatisfy { value in
                    guard case .object(let object) = value else { return false }
                    return object.members.allSatisfy { fields[$0.name]?.allows($0.value) ?? true }
                }
        default: false
        }
    }

    private static func isShort(_ text: String) -> Bool {
        text.unicodeScalars.count <= RetainedSchema.maximumTextLength
    }

    private static func isNumber(_ digits: String, in range: ClosedRange<Double>) -> Bool {
        Double(digits).map(range.contains) ?? false
    }
}
