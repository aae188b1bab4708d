import Timeline

/// Data of the monitor that the gateway did not receive.
package struct Gap: Equatable, Sendable {
    /// Why the data was lost.
    package enum Reason: String, Sendable {
        /// The link was closed.
        case linkLost = "link_lost"
        /// The gateway was not running.
        case gatewayRestart = "gateway_restart"
        /// The link was open, but notifications were lost.
        case notificationsLost = "notifications_lost"
    }

    /// The session of the lost data.
    package var session: SessionID
    /// When the gap was found: with the next stroke, or at the end.
    package var at: BootInstant
    /// The first reason, if several outages ran together.
    package var reason: Reason
    /// First and last missing stroke; nil if only time was lost.
    package var strokes: ClosedRange<Int>?
    /// Whether strokes without a number may be missing. The monitor restarts its count with each interval
    /// and reports no count at the end, so the number of strokes lost before an end is unknown.
    package var isUncounted = false
    /// First and last missing split or interval. Their strokes are published, or in another gap.
    package var splits: ClosedRange<Int>?
    /// From the last received value to the next; zero for splits.
    package var duration: Duration
    /// Whether totals (time, distance) are correct again after the gap.
    package var isRecovered: Bool
}

extension Gap {
    /// Creates a gap without numbered strokes.
    package init(
        session: SessionID, at: BootInstant, reason: Reason, duration: Duration,
        isUncounted: Bool
    ) {
        self.init(
            session: session, at: at, reason: reason, isUncounted: isUncounted,
            duration: duration, isRecovered: false)
    }
}
