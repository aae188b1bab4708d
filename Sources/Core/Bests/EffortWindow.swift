/// A point in a session: the work time and work distance up to there.
package struct WorkPoint: Equatable, Sendable {
    /// Hundredths of a second of work.
    package var centiseconds: Int64
    /// Tenths of a metre of work.
    package var decimetres: Int64

    package init(centiseconds: Int64, decimetres: Int64) {
        self.centiseconds = centiseconds
        self.decimetres = decimetres
    }
}

/// The best window of a piece over an event. Its ends lie between strokes; it contains no gap and no rest.
package struct EffortWindow: Equatable, Sendable {
    /// Hundredths of a second; for a timed event, the event's time.
    package var centiseconds: Int64
    /// Tenths of a metre; for a distance event, the event's distance.
    package var decimetres: Int64
    /// Start of the window, in hundredths of a second of the session's clock.
    package var from: Int64

    /// Finds the best window in a run of points whose time and distance never decrease; nil if the run is
    /// too short for the event.
    ///
    /// The speed between two points is assumed to be constant. So the best window begins or ends at a
    /// point, and two indices that only move forward find it in linear time.
    package init?(_ event: RankedEvent, in run: [WorkPoint]) {
        let (start, amount): (Double, Double)
        switch event {
        case .metres(let metres):
            let points = run.map { (x: Double($0.decimetres), y: Double($0.centiseconds)) }
            // The least time is the maximum of the negated times.
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

    /// Whether this window is the faster one over an event; false if both are equally fast.
    package func isBetter(than other: EffortWindow) -> Bool {
        centiseconds * other.decimetres < other.centiseconds * decimetres
    }
}

/// Finds the window of a given length along x in which a line through points rises most.
private struct Sliding {
    private(set) var best: (x: Double, y: Double, gain: Double)?

    init(_ points: [(x: Double, y: Double)], length: Double) {
        var (end, start) = (0, 0)
        for point in points {
            // The window begins at the point and ends where the line first reaches the length.
            while end < points.count, points[end].x < point.x + length { end += 1 }
            if end > 0, end < points.count {
                let y = Self.height(points[end - 1], points[end], at: point.x + length)
                updateBest(point.x, from: point.y, to: y)
            }
            // The window ends at the point and begins where the line is last one length before it.
            while start < points.count, points[start].x <= point.x - length { start += 1 }
            if start > 0, start < points.count {
                let y = Self.height(points[start - 1], points[start], at: point.x - length)
                updateBest(point.x - length, from: y, to: point.y)
            }
        }
    }

    private mutating func updateBest(_ x: Double, from low: Double, to high: Double) {
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
