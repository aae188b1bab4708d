import PM5Codec
import Timeline

/// Whether the monitor is heard, and what came before its first status.
struct LinkPresence {
    private(set) var isOpen = false
    /// The link is back and the first status will tell whether it is the same piece.
    private(set) var isReturning = false
    private(set) var lastHeard = BootInstant(nanoseconds: 0)
    /// When the newest status came: other values may be heard while statuses are lost.
    private(set) var lastStatus = BootInstant(nanoseconds: 0)
    private(set) var early = EarlyPackets()

    /// - Parameter isReturning: whether a session waits for this monitor.
    mutating func open(isReturning: Bool) {
        isOpen = true
        self.isReturning = isReturning
    }

    mutating func close() {
        isOpen = false
        isReturning = false
        early.drop()
    }

    /// What is done with the monitor from now on is somebody else's, and nothing that was missed.
    mutating func letGo() { lastStatus = BootInstant(nanoseconds: 0) }

    /// A gateway that died last heard of the monitor at `instant`.
    mutating func resume(heardAt instant: BootInstant) {
        lastHeard = instant
        lastStatus = instant
    }

    /// Characteristics of several sockets share the queue; none may turn time back.
    mutating func hear(at now: BootInstant) { lastHeard = max(lastHeard, now) }
    mutating func hearStatus(at now: BootInstant) { lastStatus = max(lastStatus, now) }
    mutating func endReturn() { isReturning = false }

    /// Keeps a packet that has to wait for a status; false for any other.
    mutating func hold(_ packet: Notification, at now: BootInstant) -> Bool {
        isOpen && early.hold(packet, at: now)
    }

    mutating func takeEarly() -> [EarlyPackets.Entry] { early.take() }
    mutating func putBack(_ rest: ArraySlice<EarlyPackets.Entry>) { early.putBack(rest) }
    mutating func takeSummaries() -> [EarlyPackets.Entry] { early.takeSummaries() }
    mutating func expireEarly(at now: BootInstant) -> Int { early.expire(at: now) }

    /// Whether the monitor sent its statuses as ever when it was last heard, so that a silence since then
    /// is the radio's. One that is busy is silent between two strokes.
    var saidEverything: Bool {
        isOpen && !isReturning && lastStatus.duration(to: lastHeard) < LinkSilence.holeLimit
    }

    /// Whether statuses have stayed away for so long that a piece may be over of which they told, and
    /// another one begun.
    func mayHaveMissedEnd(at now: BootInstant) -> Bool {
        lastStatus.duration(to: now) >= LinkSilence.holeLimit
    }

    /// Whether statuses have stayed away for so long that what they said is of the past, though other
    /// values may come: a monitor that is busy sends none for up to two minutes.
    func isStarved(at now: BootInstant) -> Bool {
        lastStatus.duration(to: now) >= LinkSilence.staleAfter
    }
}
