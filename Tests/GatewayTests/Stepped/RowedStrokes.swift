import PM5Codec
import PM5Simulator
import Timeline

/// A stroke as it stands in both accounts.
struct StrokeFigures: Hashable {
    var elapsedCentiseconds: Int
    var distanceDecimeters: Int
}

/// What was rowed at one place, piece by piece.
struct RowedStrokes {
    struct Stroke {
        var figures: StrokeFigures
        /// All of it was heard by a gateway that lived on.
        var isHeard: Bool
        var at: BootInstant
    }

    /// By the number of the stroke within its piece.
    typealias Piece = [Int: Stroke]

    /// By power cycle and number of the piece within it.
    private(set) var pieces: [[Int]: Piece] = [:]
    private(set) var count = 0

    mutating func take(
        _ record: TruthRecord, powerCycle: Int, isHeard: Bool, at now: BootInstant
    ) {
        guard record.kind == .stroke || record.kind == .unsentStroke,
            let piece = record.number("session"), let stroke = record.number("session_stroke"),
            let elapsed = record.number("elapsed_s"), let distance = record.number("distance_m")
        else { return }
        count += 1
        pieces[[powerCycle, piece], default: [:]][stroke] = Stroke(
            figures: StrokeFigures(elapsedCentiseconds: elapsed, distanceDecimeters: distance),
            isHeard: isHeard && record.kind == .stroke, at: now)
    }

    /// A gateway was killed: what it heard last, it may have had no time to write down.
    mutating func forgetHeard(since moment: BootInstant) {
        for (id, piece) in pieces {
            for (number, stroke) in piece where stroke.at >= moment && stroke.isHeard {
                pieces[id]?[number]?.isHeard = false
            }
        }
    }
}

extension TruthRecord {
    /// A field as it stands on the wire.
    fileprivate func number(_ name: String) -> Int? {
        for field in fields where field.name == name {
            if case .number(let count, _) = field.value { return Int(count) }
        }
        return nil
    }
}
