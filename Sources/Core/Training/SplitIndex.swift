import Bests
import Bytes

/// How much slower the second half of a piece was: (pace2 - pace1) / pace.
package struct SplitIndex: Equatable, Sendable {
    package let basis: FigureBasis
    /// Below 0 if the second half was faster.
    package let percent: Double
    /// Pace of each half in seconds per 500 m.
    package let paces: [Double]

    /// Percent: below this difference the halves are equally fast.
    package static let even = 0.5
    package static let leastStrokes = 20

    package var isEven: Bool { abs(percent) < Self.even }

    /// Halves by distance; for a timed piece, by time.
    static func of(_ piece: RecordedPiece) -> Result<SplitIndex, MissingReason> {
        let run: [WorkPoint]
        switch piece.unbroken {
        case .success(let points): run = points
        case .failure(let reason): return .failure(reason)
        }
        guard run.count >= leastStrokes, let end = run.last, end.decimetres > 0 else {
            return .failure(
                MissingReason(.tooFewStrokes, has: Double(run.count), needs: Double(leastStrokes)))
        }
        let isByTime = isByTime(piece.preset)
        let (seconds, metres) = middle(of: run, end, isByTime: isByTime)
        let (allSeconds, allMetres) = (Double(end.centiseconds) / 100, Double(end.decimetres) / 10)
        guard metres > 0, metres < allMetres else { return .failure(MissingReason(.broken)) }
        let paces = [seconds / metres * 500, (allSeconds - seconds) / (allMetres - metres) * 500]
        return .success(
            SplitIndex(
                basis: piece.basis(formula(for: piece.preset)),
                percent: (paces[1] - paces[0]) / (allSeconds / allMetres * 5),
                paces: paces))
    }

    private static func isByTime(_ preset: RankedEvent?) -> Bool {
        if case .seconds = preset { true } else { false }
    }

    /// - Parameter preset: the event that was set.
    static func formula(for preset: RankedEvent?) -> String {
        "(pace2 - pace1) / pace of the halves, " + (isByTime(preset) ? "by time" : "by distance")
    }

    /// Returns seconds and metres at the midpoint; distance is linear within a stroke.
    private static func middle(
        of run: [WorkPoint], _ end: WorkPoint, isByTime: Bool
    ) -> (seconds: Double, metres: Double) {
        func along(_ point: WorkPoint) -> Double {
            Double(isByTime ? point.centiseconds : point.decimetres)
        }
        let half = along(end) / 2
        let index = max(1, run.firstIndex { along($0) >= half } ?? 1)
        let (left, right) = (run[index - 1], run[index])
        let part = (half - along(left)) / (along(right) - along(left))
        func at(_ path: KeyPath<WorkPoint, Int64>) -> Double {
            Double(left[keyPath: path])
                + part * Double(right[keyPath: path] - left[keyPath: path])
        }
        return (at(\.centiseconds) / 100, at(\.decimetres) / 10)
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("index_percent", percent, places: 1)
        json.field("even", isEven)
        json.key("paces_s_per_500m")
        json.beginArray()
        for pace in paces { json.value(Int64((pace * 100).rounded()), places: 2) }
        json.endArray()
    }
}
