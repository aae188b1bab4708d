import Glibc

/// Nanoseconds per value of several ways to do the same, measured in turns.
///
/// Turns of a few milliseconds, so that whatever else the machine does falls on all of them; the
/// thread's own CPU time, and the lower quartile of the turns, so that little of it counts.
struct Measurement {
    private static let turns = 200
    private static let turnNanoseconds = 2_000_000.0

    /// In the order of the ways.
    let nanosecondsPerValue: [Double]

    /// Every call of every way must return the same.
    init(valuesPerCall: Int, _ ways: [() -> UInt64]) {
        let result = ways[0]()
        let repeats = ways.map { Self.repeats(of: $0) }
        var samples = ways.map { _ in [Double]() }
        for _ in 0..<Self.turns {
            for (index, way) in ways.enumerated() {
                let time = Self.nanoseconds {
                    for _ in 0..<repeats[index] { precondition(way() == result) }
                }
                samples[index].append(time / Double(repeats[index] * valuesPerCall))
            }
        }
        nanosecondsPerValue = samples.map { $0.sorted()[Self.turns / 4] }
    }

    /// How often a way fits into a turn.
    private static func repeats(of way: () -> UInt64) -> Int {
        var repeats = 1
        while nanoseconds({ for _ in 0..<repeats { _ = way() } }) < turnNanoseconds { repeats *= 2 }
        return repeats
    }

    /// CPU time of this thread in `body`.
    private static func nanoseconds(_ body: () -> Void) -> Double {
        let start = threadTime()
        body()
        return threadTime() - start
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
