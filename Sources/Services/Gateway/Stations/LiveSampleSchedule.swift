import PM5Codec
import Rowing
import Timeline

/// When to publish a live sample: with the monitor's status, once per interval.
///
/// A monitor sends its status as three values in a row, 0x0031, 0x0032 and 0x0033; the last one
/// completes it. If the last ones are missing, the first of the next status does. Samples follow a
/// grid of the interval, so that a status which is slightly early or late neither doubles nor skips
/// one.
struct LiveSampleSchedule {
    var interval: Duration
    /// When the next sample is due; nil before the first.
    private var due: BootInstant?
    /// Whether 0x0031 arrived, and 0x0033 not yet.
    private var isIncomplete = false

    init(interval: Duration) { self.interval = interval }

    /// Handles an arriving value; returns true if a sample is due now.
    ///
    /// - Parameter characteristic: the value's own characteristic, also if it came multiplexed.
    mutating func isSampleDue(
        after characteristic: CharacteristicID, at now: BootInstant
    ) -> Bool {
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
        // The next status that is equally late is early enough for its sample.
        self.due = max(due.advanced(by: interval), now.advanced(by: interval * 3 / 4))
        return true
    }

    /// Returns true if a sample is due although no status arrived.
    mutating func isSampleDueWithoutStatus(at now: BootInstant) -> Bool {
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
