import Bytes
import Contract
import TestSupport
import Timeline

@testable import Bests

/// A synthetic session, as the records that a gateway would publish.
struct SyntheticPiece {
    /// 2026-11-22T18:00:00Z.
    static let evening: Int64 = 1_795_370_400_000

    var id = "01JD8Z3V5Q0000000000000001"
    var startedAt = SyntheticPiece.evening
    var type = "distance"
    /// `machine_type` in the records; nil for those of an older gateway.
    var machineType: String?
    var targetMetres: Double?
    var targetSeconds: Double?
    var isComplete = true
    var isPartial = false
    var agrees: Bool? = true
    var isVerified = true
    var secondsBefore: Double?
    /// For each stroke: seconds and metres of work so far, and the interval.
    var strokes: [(seconds: Double, metres: Double, interval: Int?)] = []
    var result: (seconds: Double, metres: Double)?
    var lost: Set<Int> = []
    var gaps: [String] = []
    var splits: [(seconds: Double, metres: Double)] = []
    /// Milliseconds for which the clock stopped before a stroke.
    var stops: [Int: Int64] = [:]

    /// A piece at constant pace with a stroke every 2.5 s.
    static func steady(metres: Double, pace: Double) -> SyntheticPiece {
        var piece = SyntheticPiece()
        piece.targetMetres = metres
        let seconds = metres / 500 * pace
        piece.strokes = strokes(from: (0, 0), seconds: seconds, metres: metres)
        piece.result = (seconds, metres)
        return piece
    }

    static func strokes(
        from start: (seconds: Double, metres: Double), seconds: Double, metres: Double,
        interval: Int? = nil
    ) -> [(seconds: Double, metres: Double, interval: Int?)] {
        (1..<Int(seconds / 2.5)).map { number in
            let at = Double(number) * 2.5
            return (start.seconds + at, start.metres + at / seconds * metres, interval)
        }
    }

    func scaled(bySpeed factor: Double) -> SyntheticPiece {
        var piece = self
        piece.strokes = strokes.map { ($0.seconds / factor, $0.metres, $0.interval) }
        piece.result = result.map { ($0.seconds / factor, $0.metres) }
        return piece
    }

    func named(_ number: Int, at startedAt: Int64) -> SyntheticPiece {
        var piece = self
        piece.id = "01JD8Z3V5Q" + String(String(number + 10_000_000_000_000_000).dropFirst())
        piece.startedAt = startedAt
        return piece
    }

    var name: PieceName { PieceName(gateway: GatewayID("boathouse")!, session: id) }

    private var workout: String {
        #""session_type":"\#(type)""#
            + (targetMetres.map { #","target_distance_m":\#($0)"# } ?? "")
            + (targetSeconds.map { #","target_time_s":\#($0)"# } ?? "")
            + (machineType.map { #","machine_type":"\#($0)""# } ?? "")
    }

    private func moment(_ seconds: Double) -> Int64 {
        startedAt + Int64((seconds * 1000).rounded())
    }

    var records: [StreamKind: [[UInt8]]] {
        var stood: Int64 = 0
        var lines: [StreamKind: [String]] = [.gap: gaps]
        for (index, stroke) in strokes.enumerated() {
            stood += stops[index + 1] ?? 0
            if lost.contains(index + 1) { continue }
            lines[.stroke, default: []].append(
                #"{"ts_ms":\#(moment(stroke.seconds) + stood),"stroke":\#(index + 1),"#
                    + #""elapsed_s":\#(stroke.seconds),"distance_m":\#(stroke.metres)"#
                    + (stroke.interval.map { #","interval":\#($0)"# } ?? "") + "}")
        }
        for (index, split) in splits.enumerated() {
            lines[.split, default: []].append(
                #"{"split":\#(index + 1),"duration_s":\#(split.seconds),"#
                    + #""distance_m":\#(split.metres)}"#)
        }
        lines[.session] = [#"{"started_ms":\#(startedAt),\#(workout)}"#]
        if let result {
            lines[.summary] = [
                #"{"started_ms":\#(startedAt),"complete":\#(isComplete),"#
                    + (agrees.map { #""verified_against_pm5":\#($0),"# } ?? "")
                    + (isPartial ? #""partial_result":true,"# : "")
                    + #""strokes":\#(strokes.count),"\#(isPartial ? "received" : "result")_time_s":"#
                    + #"\#(result.seconds),"\#(isPartial ? "received_" : "")distance_m":"#
                    + #"\#(result.metres),\#(workout)}"#
            ]
        }
        return lines.mapValues { $0.map { Array($0.utf8) } }
    }

    var piece: RecordedPiece? {
        guard var piece = RecordedPiece(records, of: name, startedAt: startedAt) else { return nil }
        piece.isVerified = isVerified
        piece.secondsBefore = secondsBefore
        return piece
    }

    var metrics: PieceMetrics { metrics(in: .utc) }

    func metrics(in calendar: ClubCalendar) -> PieceMetrics {
        PieceMetrics(piece!, in: calendar)
    }

    /// An athlete's bests as JSON.
    static func json(_ pieces: [PieceMetrics]) -> String {
        String(decoding: JSONWriter.object(AthleteBests(pieces).write), as: UTF8.self)
    }
}
