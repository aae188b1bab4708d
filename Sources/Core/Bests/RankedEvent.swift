import Bytes
import Timeline

/// An event that Concept2 ranks: a distance or a time. Each kind of machine has its own list of results
/// over the same events.
package enum RankedEvent: Hashable, Sendable {
    case metres(Int)
    case seconds(Int)

    /// Shorter ones first, distances before times.
    package static let all: [RankedEvent] =
        [100, 500, 1000, 2000, 5000, 6000, 10_000, 21_097, 42_195].map { .metres($0) }
        + [60, 240, 1800, 3600].map { .seconds($0) }

    /// The event with this distance or time, as set on a monitor; nil if Concept2 does not rank it.
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

    /// The event with this `wireName`; nil if there is none.
    package init?(wireName: String) {
        guard let found = Self.all.first(where: { $0.wireName == wireName }) else { return nil }
        self = found
    }

    /// Identifies the event in JSON: `2000m`, `30min`.
    package var wireName: String {
        switch self {
        case .metres(let metres): "\(metres)m"
        case .seconds(let seconds): "\(seconds / 60)min"
        }
    }

    /// Writes the length into an open object.
    package func write(into json: inout JSONWriter) {
        switch self {
        case .metres(let metres): json.field("event_distance_m", metres)
        case .seconds(let seconds): json.field("event_time_s", seconds)
        }
    }

    /// Position in `all`.
    package var rank: Int { Self.all.firstIndex(of: self) ?? Self.all.count }
}

/// The kind of machine. Results of different kinds are never compared.
package enum MachineKind: String, CaseIterable, Comparable, Sendable {
    case rower
    case ski
    case bike

    /// From the monitor's `machine_type` in the contract; nil for any other value.
    package init?(machineType: String) {
        let ski = ["ski_erg", "ski_simulator", "multi_erg_ski"]
        let rower = ["rower_simulator", "multi_erg_row"]
        if ski.contains(machineType) {
            self = .ski
        } else if machineType.hasPrefix("bike_") || machineType == "multi_erg_bike" {
            self = .bike
        } else if rower.contains(machineType) || machineType.hasPrefix("model_")
            || machineType.hasPrefix("dynamic")
        {
            self = .rower
        } else {
            return nil
        }
    }

    /// The machine that a session's records name in `machine_type`; nil if no record names a known one, as
    /// in records of older gateways.
    ///
    /// - Parameter records: the summary and the session's begin and end records; the first that names a
    ///   machine counts.
    package init?(recordedIn records: [JSONObject]) {
        guard let machineType = records.lazy.compactMap({ $0.text("machine_type") }).first else {
            return nil
        }
        self.init(machineType: machineType)
    }

    /// Metres that its monitor shows a pace for. Paces in records are for 500 m on every machine.
    package var paceMeters: Int { self == .bike ? 1000 : 500 }

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// How a shown number was obtained, and so how reliable it is.
package enum FigureKind: String, CaseIterable, Sendable {
    /// Measured by a machine.
    case measured
    /// Computed from measured values by arithmetic alone.
    case computed
    /// Taken from a fitted model.
    case estimated
    /// A rule of thumb.
    case ruleOfThumb = "rule_of_thumb"
}

/// A result over an event, for comparisons.
package protocol ComparableResult {
    /// Hundredths of a second, and tenths of a metre.
    var centiseconds: Int64 { get }
    var decimetres: Int64 { get }
    /// Unix milliseconds: the start of the session.
    var date: Int64 { get }
}

extension ComparableResult {
    /// Whether this result is the faster one over an event; false if both are equally fast.
    func isFaster(than other: Self) -> Bool {
        centiseconds * other.decimetres < other.centiseconds * decimetres
    }

    /// Whether it is the record instead of another result: it is faster, or equal and earlier.
    package func replaces(_ known: Self) -> Bool {
        isFaster(than: known) || (!known.isFaster(than: self) && date < known.date)
    }
}

/// A distance and the time for it, with the source of both.
package struct EventResult: ComparableResult, Equatable, Sendable {
    package var kind: FigureKind
    /// The formula, in words and signs.
    package var formula: String
    /// Hundredths of a second, and tenths of a metre.
    package var centiseconds: Int64
    package var decimetres: Int64
    /// Start within the only input session, in hundredths of a second; nil if it covers the whole session.
    package var from: Int64?
    /// Sessions that it is derived from, in order.
    package var inputs: [PieceName]
    /// Unix milliseconds: the start of the session.
    package var date: Int64

    package init(
        kind: FigureKind, formula: String, centiseconds: Int64, decimetres: Int64,
        from: Int64? = nil, inputs: [PieceName], date: Int64
    ) {
        (self.kind, self.formula) = (kind, formula)
        (self.centiseconds, self.decimetres, self.from) = (centiseconds, decimetres, from)
        (self.inputs, self.date) = (inputs, date)
    }

    /// The result of a ranked piece over an event.
    ///
    /// - Parameters:
    ///   - total: work time and distance of the whole session.
    ///   - startedAt: Unix milliseconds.
    package init(ranked event: RankedEvent, of name: PieceName, total: WorkPoint, startedAt: Int64) {
        self.init(
            kind: .measured, formula: "result of the \(event.wireName) piece, as the monitor tells it",
            centiseconds: total.centiseconds, decimetres: total.decimetres, inputs: [name], date: startedAt)
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("kind", kind.rawValue)
        json.field("formula", formula)
        json.field("time_s", centiseconds, places: 2)
        json.field("distance_m", decimetres, places: 1)
        if decimetres > 0 {
            let pace = (Double(centiseconds) * 5000 / Double(decimetres)).rounded()
            json.field("pace_s_per_500m", Int64(pace), places: 2)
        }
        json.field("from_s", from, places: 2)
        json.field("at_ms", date)
        json.list("inputs", of: inputs) { json, name in name.write(into: &json) }
    }
}

extension PieceName {
    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("session_id", session)
    }
}
