import PM5Codec
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

/// Tracks when and why values of a session were lost, for the gaps that it declares.
struct GapTracker {
    /// A time without any values of an open session.
    struct Outage: Equatable {
        let reason: Gap.Reason
        fileprivate(set) var since: BootInstant
        /// When the wait for the monitor began; later than `since` after a restart.
        let waiting: BootInstant
        /// When values arrived again; nil until then.
        fileprivate(set) var returned: BootInstant?
        /// False if the length of the downtime is unknown.
        fileprivate(set) var isTimed = true
        /// Whether time and distance are known to be correct again.
        fileprivate(set) var isRecovered = true
        /// Whether strokes without a number may be missing.
        fileprivate(set) var isUncounted = false
    }

    /// A time without values on an open link, before the next stroke is seen.
    private struct Silence {
        let since: BootInstant
        var until: BootInstant
        /// Whether the piece or interval ended in the silence or after it. Strokes lost in it have no
        /// number then.
        var isBeforeEnd = false
    }

    private(set) var outage: Outage?
    private var silence: Silence?
    /// Why splits may be missing since the last one.
    private(set) var splitReason: Gap.Reason?
    /// Whether strokes may be missing since the session began whose number the monitor does not tell.
    private(set) var hasUncounted = false
    /// Whether any values may have been lost since the session began.
    private(set) var wasAway = false
    /// Whether the open link was silent for so long that the end of an interval, and strokes without a
    /// number, may have been lost.
    private(set) var wasSilent = false
    /// Whether every missing stroke has a number.
    var isCounted: Bool { !hasUncounted && !wasSilent }
    /// When the first packet of the last released stroke arrived.
    private(set) var lastStroke: BootInstant

    /// Whether the piece was abandoned at this moment, as values arrived again.
    func isAbandoned(at now: BootInstant) -> Bool {
        outage?.isRecovered == false && outage?.returned == now
    }

    init(_ outage: Outage?, lastStroke: BootInstant = BootInstant(nanoseconds: 0)) {
        self.outage = outage
        wasAway = outage != nil
        splitReason = outage?.reason
        self.lastStroke = lastStroke
    }

    /// Restores the state after a restart.
    mutating func resume(hasUncounted: Bool, isOutageUncounted: Bool) {
        self.hasUncounted = hasUncounted
        outage?.isUncounted = isOutageUncounted
    }

    /// After a restart it is unknown which values were lost before.
    mutating func markInexact(isCounted: Bool) {
        wasAway = true
        if !isCounted { wasSilent = true }
    }

    /// The end of a leg was not received, so the lost strokes before it have no number.
    mutating func noteUncountedStrokes() {
        hasUncounted = true
        wasAway = true
        outage?.isUncounted = true
    }

    /// The link closed.
    mutating func beginOutage(since received: BootInstant, at now: BootInstant) {
        if outage == nil { outage = Outage(reason: .linkLost, since: received, waiting: now) }
        outage?.returned = nil
        wasAway = true
        splitReason = outage?.reason
    }

    /// Notes a time without values on an open link. If the radio loses more than `silenceLimit`, the link
    /// closes. A longer silence means a busy monitor during a rest.
    mutating func noteSilence(since received: BootInstant, until now: BootInstant) {
        let length = received.duration(to: now)
        if length >= LinkTimeouts.gapThreshold { wasAway = true }
        if length >= LinkTimeouts.silenceLimit { wasSilent = true }
        guard length >= LinkTimeouts.gapThreshold, length < LinkTimeouts.silenceLimit else { return }
        if silence == nil { silence = Silence(since: received, until: now) }
        silence?.until = now
    }

    /// The leg ended. Without a stroke since the last outage or silence, lost strokes have no number.
    mutating func noteLegEnd() {
        if outage?.returned != nil { noteUncountedStrokes() }
        silence?.isBeforeEnd = true
    }

    /// Resolves a silence when the next stroke, first seen at `instant`, is released; nil if no stroke
    /// follows. Lost strokes show up as missing numbers. If a leg ended meanwhile, they have none.
    mutating func resolveSilence(before instant: BootInstant?) {
        guard let silence, instant.map({ $0 >= silence.until }) ?? true else { return }
        self.silence = nil
        guard silence.isBeforeEnd else { return }
        if outage == nil {
            outage = Outage(
                reason: .notificationsLost, since: silence.since, waiting: silence.since,
                returned: silence.until)
        }
        noteUncountedStrokes()
    }

    /// The piece did not continue, or the wait for the monitor is over.
    mutating func abandon(returned: BootInstant? = nil) {
        outage?.returned = returned
        outage?.isRecovered = false
        noteUncountedStrokes()
    }

    /// The same piece continues; `elapsed` is the time of its leg when the link was lost, in 0.01 s.
    mutating func rejoin(_ packet: GeneralStatus, at now: BootInstant, from elapsed: Int64) {
        if outage?.isTimed == false {
            // Only the monitor's clock kept running.
            let passed = Int64(packet.elapsedCentiseconds) - elapsed
            outage?.since = now.earlier(by: .centiseconds(max(0, passed)))
            outage?.isTimed = true
        }
        outage?.returned = now
        lastStroke = now
    }

    mutating func noteStroke(seen instant: BootInstant) { lastStroke = instant }
    mutating func noteSplit() { splitReason = nil }

    /// Removes and returns the outage, so that it is declared once.
    mutating func removeOutage() -> Outage? {
        defer { outage = nil }
        return outage
    }
}
