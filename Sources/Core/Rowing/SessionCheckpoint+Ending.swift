import Timeline

extension SessionCheckpoint {
    /// Returns the last events of a session that does not continue: its last gap, its end and its summary.
    /// Empty if they were published already.
    ///
    /// - Parameter away: time since the checkpoint; nil if no clock can measure it.
    package func endingEvents(awayFor away: Duration?, at now: BootInstant) -> [SessionEvent] {
        guard head.stage == .open || head.stage == .ending else { return [] }
        var machine = SessionMachine { [session] in session }
        var events: [SessionEvent] = []
        machine.resume(from: self, awayFor: away, at: now, into: &events)
        // The current state of the erg is published by the process that holds its link.
        events = []
        if let outage = machine.session.gaps.outage {
            machine.session.gaps.abandon()
            machine.session.end(at: outage.since, noticed: now, isComplete: false)
        }
        machine.close(at: now, into: &events)
        return events
    }
}
