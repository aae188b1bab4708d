import PM5Codec
import PM5Simulator
import Timeline

/// The position of a stroke, as simulated and as published.
struct StrokePosition: Hashable {
    var elapsedCentiseconds: Int
    var distanceDecimeters: Int
}

/// Values of a stroke or a split by field name, as simulated or as published.
struct StrokeDetails: Equatable {
    /// Tolerances: half a unit of the wire format.
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

    /// Missing and different values.
    func differences(in published: StrokeDetails) -> [String] {
        tolerances.sorted { $0.key < $1.key }.compactMap { name, tolerance in
            guard let simulated = values[name] else { return nil }
            guard let value = published.values[name] else { return "\(name) \(simulated) is missing" }
            return abs(value - simulated) > tolerance + 1e-9
                ? "\(name) \(value) instead of \(simulated)" : nil
        }
    }
}

/// The athlete assigned to an erg.
enum RowerAssignment: Equatable {
    /// An assignment is pending, or was not confirmed.
    case unknown
    /// nil for no athlete.
    case known(String?)
}

/// The simulated strokes of one erg by session.
struct SimulatedStrokes {
    struct Stroke {
        var figures: StrokePosition
        var details: StrokeDetails
        /// Whether a gateway received all of it and was not killed right after.
        var isReceived: Bool
        var at: BootInstant
        var assignment: RowerAssignment
    }

    struct Split {
        var details: StrokeDetails
        /// As for a stroke.
        var isReceived: Bool
        var at: BootInstant
    }

    /// Strokes of a session by number.
    typealias Piece = [Int: Stroke]

    /// Sessions by power cycle and number within it.
    private(set) var pieces: [[Int]: Piece] = [:]
    /// Splits by power cycle, session and number.
    private(set) var splits: [[Int]: [Int: Split]] = [:]
    private(set) var count = 0

    /// - Parameter clear: for how long every sent value has been received.
    mutating func add(
        _ record: TruthRecord, powerCycle: Int, clear: Duration, at now: BootInstant,
        assignment: RowerAssignment
    ) {
        // The packets of a drive arrive before its recovery, which a pause extends.
        let recovery = Duration.seconds(record.decimal("recovery_time_s") ?? 0)
        let isReceived = clear > .seconds(6) && clear > recovery + .seconds(1)
        guard let piece = record.number("session") else { return }
        if record.kind == .split, let number = record.number("split") {
            splits[[powerCycle, piece], default: [:]][number] = Split(
                details: StrokeDetails(StrokeDetails.ofSplit, record.decimal), isReceived: isReceived,
                at: now)
        }
        guard record.kind == .stroke || record.kind == .unsentStroke,
            let stroke = record.number("session_stroke"),
            let elapsed = record.number("elapsed_s"), let distance = record.number("distance_m")
        else { return }
        count += 1
        pieces[[powerCycle, piece], default: [:]][stroke] = Stroke(
            figures: StrokePosition(elapsedCentiseconds: elapsed, distanceDecimeters: distance),
            details: StrokeDetails(StrokeDetails.ofStroke, record.decimal),
            isReceived: isReceived && record.kind == .stroke, at: now, assignment: assignment)
    }

    /// Marks strokes that a killed gateway may not have stored.
    mutating func markUnreceived(since moment: BootInstant) {
        change(since: moment) { $0.isReceived = false }
        for (id, piece) in splits {
            for (number, split) in piece where split.at >= moment {
                splits[id]?[number]?.isReceived = false
            }
        }
    }

    mutating func markAssignmentUnknown(since moment: BootInstant) {
        change(since: moment) { $0.assignment = .unknown }
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
    /// A number in its unit.
    fileprivate func decimal(_ name: String) -> Double? {
        for field in fields where field.name == name {
            if case .number(let count, let decimals) = field.value {
                return Double(count) / (0..<decimals).reduce(1) { power, _ in power * 10 }
            }
        }
        return nil
    }

    /// A number as on the wire.
    fileprivate func number(_ name: String) -> Int? {
        for field in fields where field.name == name {
            if case .number(let count, _) = field.value { return Int(count) }
        }
        return nil
    }
}
