import Contract
import LogbookStores
import Training

/// Where athletes' resting and maximal heart rates are, and what may be given as such.
package enum HeartShelf {
    package static let rule =
        "the resting rate has to be \(HeartLimits.restingRange.lowerBound) to "
        + "\(HeartLimits.restingRange.upperBound) beats a minute, the maximal one "
        + "\(HeartLimits.maximalRange.lowerBound) to \(HeartLimits.maximalRange.upperBound), and "
        + "\(HeartLimits.leastReserve) above it at least"

    /// nil where nobody gave them.
    package static func limits(
        of athlete: String, in store: any LogbookStore
    ) throws(StoreFailure) -> HeartLimits? {
        try store.hearts(of: athlete).first.flatMap {
            HeartLimits(resting: $0.resting, maximal: $0.maximal, givenAt: $0.givenAt)
        }
    }

    /// Keeps what is given, in the place of what was given before; nil takes it out. False, and nothing is
    /// kept, where no session names the athlete.
    package static func put(
        _ limits: HeartLimits?, of athlete: String, in store: any LogbookStore
    ) throws(StoreFailure) -> Bool {
        var filter = SessionFilter(limit: 1)
        filter.athlete = athlete
        if try store.sessions(filter).isEmpty { return false }
        guard let limits else {
            try store.removeHeart(of: athlete)
            return true
        }
        try store.keep(
            KeptHeart(
                athlete: athlete, resting: limits.resting, maximal: limits.maximal,
                givenAt: limits.givenAt))
        return true
    }
}
