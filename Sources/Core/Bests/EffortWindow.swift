/// Where somebody was at a moment of a session's own clock.
package struct RowedPoint: Equatable, Sendable {
    /// Hundredths of a second of work.
    package var centiseconds: Int64
    /// Tenths of a metre of work.
    package var decimetres: Int64

    package init(centiseconds: Int64, decimetres: Int64) {
        self.centiseconds = centiseconds
        self.decimetres = decimetres
    }
}

/// The best part of a piece over an event: between strokes, where neither a gap nor a rest lies.
package struct EffortWindow: Equatable, Sendable {
    /// Hundredths of a second: of a timed event its own.
    package var centiseconds: Int64
    /// Tenths of a metre: of a distance its own.
    package var decimetres: Int64
    /// When it began, in hundredths of a second of the session's clock.
    package var from: Int64

    /// Slides over a run of points, of which neither time nor distance ever falls; nil where it is too
    /// short for the event.
    ///
    /// Between two points somebody is taken to be as fast throughout. Then the best window begins or ends
    /// at a point, so that two indices that only go forward find it: linear time.
    package init?(_ event: RankedEvent, in run: [RowedPoint]) {
        let (start, amount): (Double, Double)
        switch event {
        case .metres(let metres):
            let points = run.map { (x: Double($0.decimetres), y: Double($0.centiseconds)) }
            // Least time is most of its negative.
            let slid = Sliding(points.map { ($0.x, -$0.y) }, length: Double(metres) * 10)
            guard let best = slid.best else { return nil }
            (start, amount) = (-best.y, -best.gain)
            decimetres = Int64(metres) * 10
            centiseconds = Int64(amount.rounded(.up))
        case .seconds(let seconds):
            let points = run.map { (x: Double($0.centiseconds), y: Double($0.decimetres)) }
            guard let best = Sliding(points, length: Double(seconds) * 100).best else { return nil }
            (start, amount) = (best.x, best.gain)
            centiseconds = Int64(seconds) * 100
            decimetres = Int64(amount.rounded(.down))
        }
        from = Int64(start.rounded(.down))
    }

    /// Whether it is the better one over an event; of two that are alike, neither.
    package func isBetter(than other: EffortWindow) -> Bool {
        centiseconds * other.decimetres < other.centiseconds * decimetres
    }
}

/// A line through points, and the stretch of a length along x over which it rises most.
private struct Sliding {
    private(set) var best: (x: Double, y: Double, gain: Double)?

    init(_ points: [(x: Double, y: Double)], length: Double) {
        var (end, start) = (0, 0)
        for point in points {
            // Begins at the point; ends where the line first is a length on.
            while end < points.count, points[end].x < point.x + length { end += 1 }
            if end > 0, end < points.count {
                let y = Self.height(points[end - 1], points[end], at: point.x + length)
                take(point.x, from: point.y, to: y)
            }
            // Ends at the point; begins where the line last is a length before.
            while start < points.count, points[start].x <= point.x - length { start += 1 }
            if start > 0, start < points.count {
                let y = Self.height(points[start - 1], points[start], at: point.x - length)
                take(point.x - length, from: y, to: point.y)
            }
        }
    }

    private mutating func take(_ x: Double, from low: Double, to high: Double) {
        guard best.map({ high - low > $0.gain }) ?? true else { return }
        best = (x, low, high - low)
    }

    private static func height(
        _ left: (x: Double, y: Double), _ right: (x: Double, y: Double), at x: Double
    ) -> Double {
        guard right.x > left.x else { return right.y }
        return left.y + (right.y - left.y) * (x - left.x) / (right.x - left.x)
    }
}
