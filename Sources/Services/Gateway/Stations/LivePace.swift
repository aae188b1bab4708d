import PM5Codec
import Timeline

/// When a live sample leaves: with the monitor's status, once in an interval.
///
/// A monitor sends its status as three values in a row, 0x0031, 0x0032 and 0x0033; the last one
/// completes it. Where the last ones are missing, the first of the next status does. Samples keep
/// to a grid of the interval, so that a status which is a little early or late neither doubles nor
/// skips one.
struct LivePace {
    var interval: Duration
    /// The next sample's place on the grid; nil before the first.
    private var due: BootInstant?
    /// 0x0031 came, and 0x0033 not yet.
    private var isIncomplete = false

    init(interval: Duration) { self.interval = interval }

    /// Takes a value as it arrives; true when a sample is to leave now.
    ///
    /// - Parameter characteristic: the value's own, also where it came multiplexed.
    mutating func heard(_ characteristic: CharacteristicID, at now: BootInstant) -> Bool {
        switch characteristic {
        case .generalStatus where !isIncomplete:
            isIncomplete = true
            return false
        case .generalStatus: break
        case .additionalStatus2: isIncomplete = false
        default: return false
        }
        guard let due else { return begin(at: now) }
        guard now >= due.advanced(by: .zero - interval / 4) else { return false }
        // The next status that is as late as this one is early enough for its place.
        self.due = max(due.advanced(by: interval), now.advanced(by: interval * 3 / 4))
        return true
    }

    /// Lets time pass; true when a sample is to leave although no status came.
    mutating func isSilent(at now: BootInstant) -> Bool {
        guard let due else { return begin(at: now) }
        guard now >= due.advanced(by: interval / 2) else { return false }
        self.due = now.advanced(by: interval / 2)
        return true
    }

    private mutating func begin(at now: BootInstant) -> Bool {
        due = now.advanced(by: interval)
        return true
    }
}
