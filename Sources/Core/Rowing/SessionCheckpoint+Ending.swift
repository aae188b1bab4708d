import Timeline

extension SessionCheckpoint {
    /// What is left to say of a session that nobody goes on with: its last gap, its end and its
    /// summary. Empty where that has been said.
    ///
    /// - Parameter away: the time since the checkpoint was taken; nil where no clock can tell.
    package func ending(awayFor away: Duration?, at now: BootInstant) -> [SessionEvent] {
        guard head.stage == .open || head.stage == .ending else { return [] }
        var machine = SessionMachine { [session] in session }
        var events: [SessionEvent] = []
        machine.resume(from: self, awayFor: away, at: now, into: &events)
        // What the erg does now is for the one to say who holds its monitor.
        events = []
        if let outage = machine.session.gaps.outage {
            machine.session.gaps.giveUp()
            machine.session.end(at: outage.since, noticed: now, isComplete: false)
        }
        machine.close(at: now, into: &events)
        return events
    }
}
