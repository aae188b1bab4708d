import Bests
import Bytes
import Contract
import Timeline

@testable import Training

/// Synthetic sessions of a rower with known k, critical power and heart rates.
enum SyntheticRower {
    /// 2026-11-22T18:00:00Z.
    static let evening: Int64 = 1_795_370_400_000
    static let day: Int64 = 86_400_000

    static func name(_ number: Int) -> PieceName {
        PieceName(
            gateway: GatewayID("boathouse")!,
            session: "01JD8Z3V5Q" + String(String(number + 10_000_000_000_000_000).dropFirst()))
    }

    /// A ranked piece at constant pace with a stroke every 2.5 s.
    static func piece(
        _ number: Int, _ event: RankedEvent? = nil, metres: Double, seconds: Double,
        daysAgo: Int = 0, watts: (Double) -> Int = { _ in 200 },
        heart: (Double) -> Int? = { _ in nil }
    ) -> RecordedPiece {
        var piece = RecordedPiece(name: name(number), startedAt: evening - Int64(daysAgo) * day)
        piece.preset = event ?? RankedEvent(metres: metres, seconds: nil)
        (piece.isComplete, piece.isVerified, piece.agreesWithMonitor) = (true, true, true)
        let count = max(1, Int(seconds / 2.5))
        let points = (0...count).map { stroke in
            let part = Double(stroke) / Double(count)
            return WorkPoint(
                centiseconds: Int64((part * seconds * 100).rounded()),
                decimetres: Int64((part * metres * 10).rounded()))
        }
        (piece.runs, piece.strokeCount, piece.total) = ([points], count, points[count])
        piece.strokes = (1...count).map { stroke in
            let part = (Double(stroke) - 0.5) / Double(count)
            return MeasuredStroke(
                centiseconds: points[stroke].centiseconds - points[stroke - 1].centiseconds,
                watts: watts(part), rate: 24, heartRate: heart(part), driveCentiseconds: 80)
        }
        return piece
    }

    /// Seconds over a distance at a power.
    static func seconds(over metres: Double, at watts: Double) -> Double {
        var (fast, slow) = (0.02, 2.0)
        for _ in 0..<60 {
            let middle = (fast + slow) / 2
            if 2.80 / (middle * middle * middle) > watts { fast = middle } else { slow = middle }
        }
        return metres * fast
    }

    /// Ranked results over distances of a rower with a known power-duration curve.
    static func results(
        over distances: [Double], power: (Double) -> Double
    ) -> [PieceTraining] {
        distances.enumerated().map { number, metres in
            var time = seconds(over: metres, at: 200)
            for _ in 0..<200 {
                time = (time + seconds(over: metres, at: power(time))) / 2
            }
            return PieceTraining(piece(number, metres: metres, seconds: time, daysAgo: number))
        }
    }

    static func json(
        _ pieces: [PieceTraining], by length: TrainingSpan.Length = .week, in season: Season? = nil
    ) -> String {
        let training = AthleteTraining(pieces, by: length, in: season)
        return String(decoding: JSONWriter.object(training.write), as: UTF8.self)
    }

    static func training(_ pieces: [PieceTraining]) -> AthleteTraining.OnMachine {
        AthleteTraining(pieces, by: .season).machines[0]
    }
}

extension Result {
    var value: Success? { try? get() }
    var fault: Failure? {
        if case .failure(let fault) = self { return fault }
        return nil
    }
}

extension PieceTraining {
    /// With days in UTC.
    init(_ piece: RecordedPiece, _ shapes: [ForceShape] = []) {
        self.init(piece, shapes, in: .utc)
    }
}
