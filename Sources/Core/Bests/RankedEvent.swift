import Bytes

/// What Concept2 ranks: so many metres, or so much time. Each kind of machine has its own list of
/// results, over the same events.
package enum RankedEvent: Hashable, Sendable {
    case metres(Int)
    case seconds(Int)

    /// Shorter ones first, distances before times.
    package static let all: [RankedEvent] =
        [100, 500, 1000, 2000, 5000, 6000, 10_000, 21_097, 42_195].map { .metres($0) }
        + [60, 240, 1800, 3600].map { .seconds($0) }

    /// The event of so many metres or seconds, as a monitor was set to; nil where nobody ranks that.
    package init?(metres: Double?, seconds: Double?) {
        let found = Self.all.first { event in
            switch event {
            case .metres(let length): metres == Double(length)
            case .seconds(let length): metres == nil && seconds == Double(length)
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// `2000m`, `30min`.
    package var word: String {
        switch self {
        case .metres(let metres): "\(metres)m"
        case .seconds(let seconds): "\(seconds / 60)min"
        }
    }

    /// Its length, in an object that is open.
    package func write(into json: inout JSONWriter) {
        switch self {
        case .metres(let metres): json.field("event_distance_m", metres)
        case .seconds(let seconds): json.field("event_time_s", seconds)
        }
    }

    /// Where it stands in the list.
    package var rank: Int { Self.all.firstIndex(of: self) ?? Self.all.count }
}

/// What was rowed on. Results of one kind are never held against those of another.
package enum MachineKind: String, CaseIterable, Comparable, Sendable {
    case rower
    case ski
    case bike

    /// Of the monitor's `machine_type`, in the contract's word; nil for what is none of them.
    package init?(machineType word: String) {
        let ski = ["ski_erg", "ski_simulator", "multi_erg_ski"]
        let rower = ["rower_simulator", "multi_erg_row"]
        if ski.contains(word) {
            self = .ski
        } else if word.hasPrefix("bike_") || word == "multi_erg_bike" {
            self = .bike
        } else if rower.contains(word) || word.hasPrefix("model_") || word.hasPrefix("dynamic") {
            self = .rower
        } else {
            return nil
        }
    }

    /// The machine that a session's records name in `machine_type`; nil where none does, as those of
    /// older gateways, or where it is none of these.
    ///
    /// - Parameter records: the summary and the session's edges; the first that names a machine counts.
    package init?(recordedIn records: [JSONObject]) {
        guard let word = records.lazy.compactMap({ $0.text("machine_type") }).first else {
            return nil
        }
        self.init(machineType: word)
    }

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
