import Rowing
import Timeline

/// When values are kept: during a session, in the moments before it, and while the monitor may
/// still have something to say of it.
///
/// A monitor talks all night beside a sleeping room; that is not worth an SD card.
package struct RawWindow: Sendable {
    /// The packets that a session begins by: statuses, and a stroke that came before them. A station
    /// holds values for so long before it lets them go; erasure and export follow.
    package static let leadIn = Duration.seconds(3)
    /// The summary with the recovery heart rate comes about a minute after the end.
    package static let leadOut = Duration.seconds(90)

    private var until: BootInstant?

    package init() {}

    /// Whether values of this moment are kept, given what the erg is doing.
    package mutating func isOpen(during activity: ActivityState, at now: BootInstant) -> Bool {
        if activity.isUnderWay { until = now.advanced(by: Self.leadOut) }
        guard let until, now <= until else { return false }
        return true
    }
}
