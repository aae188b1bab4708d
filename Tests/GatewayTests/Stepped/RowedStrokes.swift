import PM5Codec
import PM5Simulator
import Timeline

/// A stroke as it stands in both accounts.
struct StrokeFigures: Hashable {
    var elapsedCentiseconds: Int
    var distanceDecimeters: Int
}

/// What both accounts say of a stroke or a split, by the name that the wire and the truth share.
struct RowedDetails: Equatable {
    /// Half a count of the wire.
    static let ofStroke = [
        "power_w": 0.5, "drive_length_m": 0.005, "drive_time_s": 0.005, "recovery_time_s": 0.005,
        "stroke_distance_m": 0.005, "peak_force_n": 0.23, "avg_force_n": 0.23, "work_j": 0.05,
    ]
    static let ofSplit = [
        "duration_s": 0.05, "distance_m": 0.5, "avg_stroke_rate_spm": 0.5,
        "avg_pace_s_per_500m": 0.05, "avg_power_w": 0.5, "calories_kcal": 0.5,
        "avg_drag_factor": 0.5, "work_heart_rate_bpm": 0.5,
    ]
    private let tolerances: [String: Double]
    private var values: [String: Double] = [:]

    init(_ tolerances: [String: Double], _ value: (_ name: String) -> Double?) {
        self.tolerances = tolerances
        for name in tolerances.keys { values[name] = value(name) }
    }

    /// What is left out, or told otherwise than it was rowed.
    func differences(in told: RowedDetails) -> [String] {
        tolerances.sorted { $0.key < $1.key }.compactMap { name, tolerance in
            guard let rowed = values[name] else { return nil }
            guard let value = told.values[name] else { return "\(name) \(rowed) is missing" }
            return abs(value - rowed) > tolerance + 1e-9
                ? "\(name) \(value) instead of \(rowed)" : nil
        }
    }
}

/// Whose strokes are rowed at a place.
enum Seating: Equatable {
    /// Somebody is just being seated, or the gateway did not say so.
    case unknown
    /// nil for nobody.
    case known(String?)
}

/// What was rowed at one place, piece by piece.
struct RowedStrokes {
    struct Stroke {
        var figures: StrokeFigures
        var details: RowedDetails
        /// All of it was heard by a gateway that lived on.
        var isHeard: Bool
        var at: BootInstant
        var seating: Seating
    }

    struct Split {
        var details: RowedDetails
        /// As of a stroke.
        var isHeard: Bool
        var at: BootInstant
    }

    /// By the number of the stroke within its piece.
    typealias Piece = [Int: Stroke]

    /// By power cycle and number of the piece within it.
    private(set) var pieces: [[Int]: Piece] = [:]
    /// The same, by the number of the split within its piece.
    private(set) var splits: [[Int]: [Int: Split]] = [:]
    private(set) var count = 0

    /// - Parameter clear: how long everything that was sent has arrived.
    mutating func take(
        _ record: TruthRecord, powerCycle: Int, clear: Duration, at now: BootInstant,
        seating: Seating
    ) {
        // A drive's packets come before its recovery, which a pause makes long.
        let recovery = Duration.seconds(record.decimal("recovery_time_s") ?? 0)
        let isHeard = clear > .seconds(6) && clear > recovery + .seconds(1)
        guard let piece = record.number("session") else { return }
        if record.kind == .split, let number = record.number("split") {
            splits[[powerCycle, piece], default: [:]][number] = Split(
                details: RowedDetails(RowedDetails.ofSplit, record.decimal), isHeard: isHeard,
                at: now)
        }
        guard record.kind == .stroke || record.kind == .unsentStroke,
            let stroke = record.number("session_stroke"),
            let elapsed = record.number("elapsed_s"), let distance = record.number("distance_m")
        else { return }
        count += 1
        pieces[[powerCycle, piece], default: [:]][stroke] = Stroke(
            figures: StrokeFigures(elapsedCentiseconds: elapsed, distanceDecimeters: distance),
            details: RowedDetails(RowedDetails.ofStroke, record.decimal),
            isHeard: isHeard && record.kind == .stroke, at: now, seating: seating)
    }

    /// A gateway was killed: what it heard last, it may have had no time to write down.
    mutating func forgetHeard(since moment: BootInstant) {
        change(since: moment) { $0.isHeard = false }
        for (id, piece) in splits {
            for (number, split) in piece where split.at >= moment {
                splits[id]?[number]?.isHeard = false
            }
        }
    }

    mutating func forgetSeating(since moment: BootInstant) {
        change(since: moment) { $0.seating = .unknown }
    }

    private mutating func change(since moment: BootInstant, _ body: (inout Stroke) -> Void) {
        for (id, piece) in pieces {
            for (number, stroke) in piece where stroke.at >= moment {
                body(&pieces[id, default: [:]][number, default: stroke])
            }
        }
    }
}

extension TruthRecord {
    /// A figure in its unit.
    fileprivate func decimal(_ name: String) -> Double? {
        for field in fields where field.name == name {
            if case .number(let count, let decimals) = field.value {
                return Double(count) / (0..<decimals).reduce(1) { power, _ in power * 10 }
            }
        }
        return nil
    }

    /// A field as it stands on the wire.
    fileprivate func number(_ name: String) -> Int? {
        for field in fields where field.name == name {
            if case .number(let count, _) = field.value { return Int(count) }
        }
        return nil
    }
}
