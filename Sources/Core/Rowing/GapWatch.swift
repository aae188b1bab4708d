import PM5Codec
import Timeline

/// What kept us from hearing a session, and since when: what its gaps will declare.
struct GapWatch {
    /// A time in which we heard nothing of a session under way.
    struct Outage: Equatable {
        let reason: Gap.Reason
        fileprivate(set) var since: BootInstant
        /// Since when we wait for the monitor; later than `since` after a restart.
        let waiting: BootInstant
        /// nil until the monitor is heard again.
        fileprivate(set) var returned: BootInstant?
        /// Cleared when nobody knows how long the gateway was down.
        fileprivate(set) var isTimed = true
        /// Whether time and distance are known to be right again.
        fileprivate(set) var isRecovered = true
        /// Whether strokes may be missing that have no number.
        fileprivate(set) var isUncounted = false
    }

    /// A time in which nothing came although the link stood, and behind which no stroke was seen yet.
    private struct Hole {
        let since: BootInstant
        var until: BootInstant
        /// Whether the piece or its interval ended in it or behind it: what it hid has no number then.
        var isBeforeEnd = false
    }

    private(set) var outage: Outage?
    private var hole: Hole?
    /// Why splits may be missing: what kept us from hearing since the last one.
    private(set) var splitReason: Gap.Reason?
    /// Whether strokes may be missing that no gap could number, since the session began.
    private(set) var hasUncounted = false
    /// Whether anything at all was not received for a while, since the session began.
    private(set) var wasAway = false
    /// Whether the link stood in silence for so long that strokes may be missing of which no number
    /// tells: a whole end may lie in it.
    private(set) var wasSilent = false
    /// Whether every stroke that is missing has a number.
    var isCounted: Bool { !hasUncounted && !wasSilent }
    /// When the last stroke that was told was first seen.
    private(set) var lastStroke: BootInstant

    /// Whether the piece is given up as the monitor is heard again.
    func isGivenUp(at now: BootInstant) -> Bool {
        outage?.isRecovered == false && outage?.returned == now
    }

    init(_ outage: Outage?, lastStroke: BootInstant = BootInstant(nanoseconds: 0)) {
        self.outage = outage
        wasAway = outage != nil
        splitReason = outage?.reason
        self.lastStroke = lastStroke
    }

    /// Goes on after a restart.
    mutating func resume(hasUncounted: Bool, isOutageUncounted: Bool) {
        self.hasUncounted = hasUncounted
        outage?.isUncounted = isOutageUncounted
    }

    /// Nobody knows what was not received before.
    mutating func loseExactness(isCounted: Bool) {
        wasAway = true
        if !isCounted { wasSilent = true }
    }

    /// An end was not heard, and the strokes before it cannot be numbered.
    mutating func missStrokes() {
        hasUncounted = true
        wasAway = true
        outage?.isUncounted = true
    }

    /// The link is gone.
    mutating func lose(since heard: BootInstant, at now: BootInstant) {
        if outage == nil { outage = Outage(reason: .linkLost, since: heard, waiting: now) }
        outage?.returned = nil
        wasAway = true
        splitReason = outage?.reason
    }

    /// Nothing was heard for a while, and then something was. A radio that loses more than that loses the
    /// link; a longer silence is a busy monitor's, in a rest.
    mutating func noteSilence(since heard: BootInstant, until now: BootInstant) {
        let silence = heard.duration(to: now)
        if silence >= LinkSilence.holeLimit { wasAway = true }
        if silence >= LinkSilence.limit { wasSilent = true }
        guard silence >= LinkSilence.holeLimit, silence < LinkSilence.limit else { return }
        if hole == nil { hole = Hole(since: heard, until: now) }
        hole?.until = now
    }

    /// An end was heard, and no stroke between it and the absence before.
    mutating func missEnd() {
        if outage?.returned != nil { missStrokes() }
        hole?.isBeforeEnd = true
    }

    /// The next stroke that is told was seen at `instant`; nil where none follows. A hole before it hid
    /// strokes that its number tells of, or, before an end, some that nothing does.
    mutating func passHole(before instant: BootInstant?) {
        guard let hole, instant.map({ $0 >= hole.until }) ?? true else { return }
        self.hole = nil
        guard hole.isBeforeEnd else { return }
        if outage == nil {
            outage = Outage(
                reason: .notificationsLost, since: hole.since, waiting: hole.since,
                returned: hole.until)
        }
        missStrokes()
    }

    /// The piece was not found again, or nobody waits for it any longer.
    mutating func giveUp(returned: BootInstant? = nil) {
        outage?.returned = returned
        outage?.isRecovered = false
        missStrokes()
    }

    /// The piece was found again; `elapsed` is where it was lost, 0.01 s of its leg.
    mutating func rejoin(_ packet: GeneralStatus, at now: BootInstant, from elapsed: Int64) {
        if outage?.isTimed == false {
            // The monitor's clock is the only one that ran through.
            let passed = Int64(packet.elapsedCentiseconds) - elapsed
            outage?.since = now.earlier(by: .centiseconds(max(0, passed)))
            outage?.isTimed = true
        }
        outage?.returned = now
        lastStroke = now
    }

    mutating func noteStroke(seen instant: BootInstant) { lastStroke = instant }
    mutating func noteSplit() { splitReason = nil }

    /// Gives the outage out, which is declared once.
    mutating func takeOutage() -> Outage? {
        defer { outage = nil }
        return outage
    }
}
