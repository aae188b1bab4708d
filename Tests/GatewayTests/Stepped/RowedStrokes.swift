import PM5Codec
import PM5Simulator
import Timeline

/// A stroke as it stands in both accounts.
struct StrokeFigures: Hashable {
    var elapsedCentiseconds: Int
    var distanceDecimeters: Int
}

/// What else both accounts say of a stroke, by the name that the wire and the truth share.
struct StrokeDetails: Equatable {
    /// Half a count of the wire.
    private static let tolerances = [
        "power_w": 0.5, "drive_length_m": 0.005, "drive_time_s": 0.005, "recovery_time_s": 0.005,
        "stroke_distance_m": 0.005, "peak_force_n": 0.23, "avg_force_n": 0.23, "work_j": 0.05,
    ]
    private var values: [String: Double] = [:]

    init(_ value: (_ name: String) -> Double?) {
        for name in Self.tolerances.keys { values[name] = value(name) }
    }

    /// What is told otherwise than it was rowed; what is left out is not wrong.
    func differences(in told: StrokeDetails) -> [String] {
        Self.tolerances.sorted { $0.key < $1.key }.compactMap { name, tolerance in
            guard let rowed = values[name], let value = told.values[name],
                abs(value - rowed) > tolerance + 1e-9
            else { return nil }
            return "\(name) \(value) instead of \(rowed)"
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
        var details: StrokeDetails
        /// All of it was heard by a gateway that lived on.
        var isHeard: Bool
        var at: BootInstant
        var seating: Seating
    }

    /// By the number of the stroke within its piece.
    typealias Piece = [Int: Stroke]

    /// By power cycle and number of the piece within it.
    private(set) var pieces: [[Int]: Piece] = [:]
    private(set) var count = 0

    mutating func take(
        _ record: TruthRecord, powerCycle: Int, isHeard: Bool, at now: BootInstant,
        seating: Seating
    ) {
        guard record.kind == .stroke || record.kind == .unsentStroke,
            let piece = record.number("session"), let stroke = record.number("session_stroke"),
            let elapsed = record.number("elapsed_s"), let distance = record.number("distance_m")
        else { return }
        count += 1
        pieces[[powerCycle, piece], default: [:]][stroke] = Stroke(
            figures: StrokeFigures(elapsedCentiseconds: elapsed, distanceDecimeters: distance),
            details: StrokeDetails(record.decimal),
            isHeard: isHeard && record.kind == .stroke, at: now, seating: seating)
    }

    /// A gateway was killed: what it heard last, it may have had no time to write down.
    mutating func forgetHeard(since moment: BootInstant) {
        change(since: moment) { $0.isHeard = false }
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
