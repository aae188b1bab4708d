import Contract
import Timeline

/// Keeps the timestamps of an erg's records increasing when the wall clock is set back.
///
/// `ts_ms` increases from record to record, and the difference between two strokes is the elapsed
/// time. After the clock was set back, for example by a year, the old count continues at the pace
/// of the boot clock until the wall clock has caught up. Such a timestamp is not marked as
/// synchronized.
struct MonotonicTimestamps {
    /// A timestamp further ahead of the wall clock, in milliseconds, counts as not synchronized.
    static let tolerance: Int64 = 1000

    private var last: [StationID?: (at: BootInstant, unixMilliseconds: Int64)] = [:]

    /// Returns the timestamp for a record at `instant`, for which the wall clock shows
    /// `unixMilliseconds`.
    func time(_ unixMilliseconds: Int64, of station: StationID?, at instant: BootInstant) -> Int64 {
        guard let last = last[station], unixMilliseconds <= last.unixMilliseconds else {
            return unixMilliseconds
        }
        return last.unixMilliseconds + last.at.duration(to: instant).wholeMilliseconds
    }

    /// Stores the timestamp of a record of an erg. A record about an earlier instant than the last
    /// does not mean that the clock was set back.
    mutating func note(_ unixMilliseconds: Int64, of station: StationID?, at instant: BootInstant) {
        last[station] = (max(instant, last[station]?.at ?? instant), unixMilliseconds)
    }
}
