import Timeline

/// What the monitor did and the gateway did not receive.
package struct Gap: Equatable, Sendable {
    /// What kept us from hearing.
    package enum Reason: String, Sendable {
        /// The link was down.
        case linkLost = "link_lost"
        /// The gateway itself was down.
        case gatewayRestart = "gateway_restart"
        /// The link was up and notifications were missing all the same.
        case notificationsLost = "notifications_lost"
    }

    /// The session that it belongs to.
    package var session: SessionID
    /// When it was known: with the next stroke, or at the end.
    package var at: BootInstant
    /// The first of several, where they ran together.
    package var reason: Reason
    /// Missing strokes, first and last; nil when time was lost but no stroke.
    package var strokes: ClosedRange<Int>?
    /// Whether strokes may be missing that have no number: the monitor counts anew with each interval
    /// and tells no count at an end, so nobody knows how many followed the last one that was heard.
    package var isUncounted = false
    /// Missing splits or intervals, first and last: their strokes are here or in a gap of their own.
    package var splits: ClosedRange<Int>?
    /// From the last value heard to the next; zero for splits.
    package var duration: Duration
    /// Whether totals (time, distance) are right again after the gap.
    package var isRecovered: Bool
}

extension Gap {
    /// Creates a gap without numbered strokes; `isUncounted` as the property.
    package init(
        session: SessionID, at: BootInstant, reason: Reason, duration: Duration,
        isUncounted: Bool
    ) {
        self.init(
            session: session, at: at, reason: reason, isUncounted: isUncounted,
            duration: duration, isRecovered: false)
    }
}
