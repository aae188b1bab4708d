import Bests

/// The even power that would have been as hard as what was rowed: the fourth root of the mean of the
/// fourth powers of 30 s averages (Coggan and Allen, Training and Racing with a Power Meter).
///
/// An average begins anew behind a rest, a gap and a stop of the clock; before it has 30 s it is of what
/// there is.
package struct NormalizedPower: Equatable, Sendable {
    package let watts: Double
    /// Hundredths of a second whose power is known.
    package let centiseconds: Int64

    /// Hundredths of a second.
    static let window: Int64 = 3000

    /// nil where no stroke has both power and time.
    init?(_ strokes: [RowedStroke]) {
        var (fourth, known) = (0.0, Int64(0))
        var recent: ArraySlice<(work: Int64, time: Int64)> = []
        var (work, time) = (Int64(0), Int64(0))
        var interval: Int?
        for stroke in strokes {
            if stroke.interval != interval { (recent, work, time) = ([], 0, 0) }
            interval = stroke.interval
            guard let watts = stroke.watts, let long = stroke.centiseconds, long > 0 else {
                (recent, work, time) = ([], 0, 0)
                continue
            }
            recent.append((Int64(watts) * long, long))
            work += Int64(watts) * long
            time += long
            while let first = recent.first, time - first.time >= Self.window {
                work -= first.work
                time -= first.time
                recent.removeFirst()
            }
            let average = Double(work) / Double(time)
            fourth += average * average * average * average * Double(long)
            known += long
        }
        guard known > 0 else { return nil }
        watts = (fourth / Double(known)).squareRoot().squareRoot()
        centiseconds = known
    }
}
