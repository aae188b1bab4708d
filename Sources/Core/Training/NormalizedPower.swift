import Bests

/// The constant power that would have been as hard as the session: the fourth root of the mean of the
/// fourth powers of 30 s averages (Coggan and Allen, Training and Racing with a Power Meter).
///
/// After a rest, a gap or a clock stop the averaging restarts; until 30 s have passed, it uses the time
/// available.
package struct NormalizedPower: Equatable, Sendable {
    package let watts: Double
    /// Hundredths of a second with known power.
    package let centiseconds: Int64

    /// Hundredths of a second.
    static let window: Int64 = 3000

    /// nil if no stroke has both power and time.
    init?(_ strokes: [MeasuredStroke]) {
        var (fourth, known) = (0.0, Int64(0))
        var recent: ArraySlice<(work: Int64, time: Int64)> = []
        var (work, time) = (Int64(0), Int64(0))
        var interval: Int?
        for stroke in strokes {
            if stroke.interval != interval { (recent, work, time) = ([], 0, 0) }
            interval = stroke.interval
            guard let watts = stroke.watts, let duration = stroke.centiseconds, duration > 0 else {
                (recent, work, time) = ([], 0, 0)
                continue
            }
            recent.append((Int64(watts) * duration, duration))
            work += Int64(watts) * duration
            time += duration
            while let first = recent.first, time - first.time >= Self.window {
                work -= first.work
                time -= first.time
                recent.removeFirst()
            }
            let average = Double(work) / Double(time)
            fourth += average * average * average * average * Double(duration)
            known += duration
        }
        guard known > 0 else { return nil }
        watts = (fourth / Double(known)).squareRoot().squareRoot()
        centiseconds = known
    }
}
