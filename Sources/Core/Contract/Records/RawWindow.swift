import Rowing
import Timeline

/// Decides when raw values are stored: during a session, shortly before it, and while its summaries may
/// still arrive.
///
/// A monitor in an unused room also sends values; storing them would wear out the SD card.
package struct RawWindow: Sendable {
    /// Time before a session whose values are stored: they include the packets that begin it. Erasure
    /// and export use the same time.
    package static let leadIn = Duration.seconds(3)
    /// Time after a session. The summary with the recovery heart rate arrives about 1 min after the end.
    package static let leadOut = Duration.seconds(90)

    private var until: BootInstant?

    package init() {}

    /// Whether to store values at this time, given the erg's activity.
    package mutating func isOpen(during activity: ActivityState, at now: BootInstant) -> Bool {
        if activity.hasOpenSession { until = now.advanced(by: Self.leadOut) }
        guard let until, now <= until else { return false }
        return true
    }
}
