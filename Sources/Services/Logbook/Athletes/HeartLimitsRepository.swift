import Contract
import LogbookStores
import Training

/// Reads and stores the resting and maximal heart rates of athletes.
package enum HeartLimitsRepository {
    /// The error message for heart rates outside the allowed range, which the caller checks.
    package static let rangeMessage =
        "the resting heart rate must be \(HeartLimits.restingRange.lowerBound) to "
        + "\(HeartLimits.restingRange.upperBound) bpm, the maximum heart rate "
        + "\(HeartLimits.maximalRange.lowerBound) to \(HeartLimits.maximalRange.upperBound) bpm and at least "
        + "\(HeartLimits.leastReserve) bpm above the resting rate"

    /// Returns nil if no rates are stored.
    package static func limits(
        of athlete: String, in store: any LogbookStore
    ) throws(StoreFailure) -> HeartLimits? {
        try store.heartLimits(of: store.merges.current(of: athlete)).first.flatMap {
            HeartLimits(resting: $0.resting, maximal: $0.maximal, givenAt: $0.givenAt)
        }
    }

    /// Replaces the stored rates; nil removes them. Returns false and stores nothing if no session has this
    /// athlete.
    package static func save(
        _ limits: HeartLimits?, of athlete: String, in store: any LogbookStore
    ) throws(StoreFailure) -> Bool {
        let athlete = try store.merges.current(of: athlete)
        var filter = SessionFilter(limit: 1)
        filter.athlete = athlete
        if try store.sessions(filter).isEmpty { return false }
        guard let limits else {
            try store.removeHeartLimits(of: athlete)
            return true
        }
        try store.save(
            StoredHeartLimits(
                athlete: athlete, resting: limits.resting, maximal: limits.maximal,
                givenAt: limits.givenAt))
        return true
    }
}
