import Contract
import Timeline

/// Keeps the times of an erg's records going when the wall clock is set back.
///
/// `ts_ms` grows from record to record whatever the clock does, and the time between two strokes
/// is the time that passed. So behind a step back, by a year say, the old count goes on, at the
/// pace of the boot clock, until the wall clock has caught up; such a time is not called synced.
struct MonotonicTimestamps {
    /// Further ahead of the wall clock, in milliseconds, a time is no longer the wall clock's.
    static let tolerance: Int64 = 1000

    private var last: [StationID?: (at: BootInstant, unixMilliseconds: Int64)] = [:]

    /// The time for a record at `instant` for which the wall clock says `unixMilliseconds`.
    func time(_ unixMilliseconds: Int64, of station: StationID?, at instant: BootInstant) -> Int64 {
        guard let last = last[station], unixMilliseconds <= last.unixMilliseconds else {
            return unixMilliseconds
        }
        return last.unixMilliseconds + last.at.duration(to: instant).wholeMilliseconds
    }

    /// A record of an erg got this time. One about an earlier instant than the last is no sign that the
    /// clock was set back.
    mutating func note(_ unixMilliseconds: Int64, of station: StationID?, at instant: BootInstant) {
        last[station] = (max(instant, last[station]?.at ?? instant), unixMilliseconds)
    }
}
