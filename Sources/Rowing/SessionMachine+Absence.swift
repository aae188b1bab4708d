import PM5Codec

extension SessionMachine {
    /// Faster than any rower; what a monitor cannot have gained in a time is another piece.
    private static let fastestMetersPerSecond: Int64 = 8
    /// Status packets are up to a second old, and so is what we last heard.
    private static let slack = Duration.seconds(5)

    /// Subscriptions stand. `machine` is what the monitor says it is mounted on, where it does.
    package mutating func linkOpened(
        at now: BootInstant, machine: ErgMachineType? = nil, into events: inout [SessionEvent]
    ) {
        isLinkOpen = true
        isReturning = isOpen
        if let machine { self.machine = machine }
        settle(at: now, into: &events)
    }

    /// The link is gone. A session under way stays open until the monitor is back or long gone.
    package mutating func linkClosed(at now: BootInstant, into events: inout [SessionEvent]) {
        if isCurrent, !isReturning {
            releaseStrokes(at: now, flush: true, into: &events)
            releaseSplit(at: now, flush: true, into: &events)
        }
        if isOpen {
            if outage == nil { outage = Outage(reason: .linkLost, since: lastHeard) }
            outage?.returned = nil
        }
        isLinkOpen = false
        isReturning = false
        (status, status1, status2) = (nil, nil, nil)
        curves.reset()
        settle(at: now, into: &events)
    }

    /// The first status after an absence decides whether the session goes on.
    mutating func comeBack(
        _ packet: GeneralStatus, _ next: PiecePhase, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        guard isOpen, let since = outage?.since else { return }
        guard isSamePiece(packet, next, after: since.duration(to: now)) else {
            end(at: since, isComplete: false)
            return
        }
        outage?.returned = now
        lastStrokeSign = now
        lastStrokeTold = now
        legOpened = now
        _ = ledger.rejoin(packet)
    }

    /// Whether the monitor can have come from where we lost it to what it shows now.
    private func isSamePiece(
        _ packet: GeneralStatus, _ next: PiecePhase, after away: Duration
    ) -> Bool {
        guard let head, next != .waiting, head.workout.admits(packet) else { return false }
        let limit = (away + Self.slack).wholeMilliseconds / 10
        if !ledger.isInterval {
            let gained = Int64(packet.elapsedCentiseconds) - ledger.elapsed
            let rowed = Int64(packet.distanceDecimeters) - ledger.distance
            return (0...limit).contains(gained)
                && (0...limit * Self.fastestMetersPerSecond / 10).contains(rowed)
        }
        let finished = Int64(packet.totalWorkDistanceMeters) - Int64(ledger.reportedMeters)
        let most = limit * Self.fastestMetersPerSecond / 100 + ledger.leg.distance / 10 + 2
        return (0...most).contains(finished)
    }
}
