import PM5Codec
import Timeline

/// Tracks when values arrive, and buffers packets that arrive before the first status.
struct LinkTracker {
    private(set) var isOpen = false
    /// The link is open again, and the first status will show whether the piece is the same.
    private(set) var isReturning = false
    private(set) var lastReceived = BootInstant(nanoseconds: 0)
    /// When the newest status arrived. Other values may arrive while statuses are lost.
    private(set) var lastStatus = BootInstant(nanoseconds: 0)
    /// After a restart, the newest status arrived between this moment and `lastStatus`; nil if `lastStatus`
    /// is exact.
    private var earliestLastStatus: BootInstant?
    private(set) var early = EarlyPackets()
    /// Results and log messages of this link.
    var logEntries = LogEntryMatcher()

    /// Notes that the link to the monitor is open.
    ///
    /// - Parameter isReturning: whether an open session waits for this monitor.
    mutating func noteLinkOpened(isReturning: Bool) {
        isOpen = true
        self.isReturning = isReturning
    }

    /// Notes that the link to the monitor was closed, and discards early packets except summaries.
    mutating func noteLinkClosed() {
        isOpen = false
        isReturning = false
        logEntries = LogEntryMatcher()
        early.discardAllButSummaries()
    }

    /// Forgets the last status: another device uses the monitor now, and its pieces are not missed ones.
    mutating func forgetStatus() {
        lastStatus = BootInstant(nanoseconds: 0)
        earliestLastStatus = nil
    }

    /// Restores the time of the last value before a restart: at the latest that of the checkpoint, and at
    /// the earliest the beginning of an outage that the checkpoint contains.
    mutating func resume(lastReceived instant: BootInstant, notBefore earliest: BootInstant?) {
        lastReceived = instant
        lastStatus = instant
        earliestLastStatus = earliest
    }

    /// The time since the newest status: exact, or the limits within which it lies after a restart.
    func sinceLastStatus(at now: BootInstant) -> ClosedRange<Duration> {
        let least = lastStatus.duration(to: now)
        return least...max(least, earliestLastStatus?.duration(to: now) ?? least)
    }

    /// Several characteristics share the queue, so their times may be out of order.
    mutating func noteValue(at now: BootInstant) { lastReceived = max(lastReceived, now) }
    mutating func noteStatus(at now: BootInstant) {
        lastStatus = max(lastStatus, now)
        earliestLastStatus = nil
    }
    /// Notes that a status has shown whether the piece is the same.
    mutating func endReturn() { isReturning = false }

    /// Buffers a packet that has to wait for a status. Returns false for other packets.
    mutating func buffer(_ packet: Notification, at now: BootInstant) -> Bool {
        isOpen && early.buffer(packet, at: now)
    }

    mutating func drainEarly() -> [EarlyPackets.Entry] { early.drain() }
    mutating func prepend(_ rest: ArraySlice<EarlyPackets.Entry>) { early.prepend(rest) }
    mutating func drainEarlySummaries() -> [EarlyPackets.Entry] { early.drainSummaries() }
    mutating func expireEarly(at now: BootInstant) -> Int { early.expire(at: now) }

    /// Whether statuses arrived regularly until the last value, so that a later silence means packet loss.
    /// A busy monitor is silent between two strokes.
    var areStatusesRegular: Bool {
        isOpen && !isReturning && lastStatus.duration(to: lastReceived) < LinkTimeouts.gapThreshold
    }

    /// Whether statuses were missing for so long that a piece may have ended and another begun.
    func mayHaveMissedEnd(at now: BootInstant) -> Bool {
        lastStatus.duration(to: now) >= LinkTimeouts.gapThreshold
    }

    /// Whether the last status is too old to describe the rower, even if other values arrive. A busy
    /// monitor sends none for up to two minutes.
    func isStatusStale(at now: BootInstant) -> Bool {
        lastStatus.duration(to: now) >= LinkTimeouts.staleAfter
    }
}
