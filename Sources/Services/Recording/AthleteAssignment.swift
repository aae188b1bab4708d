import Contract
import Insights
import Rowing

/// The athlete assigned to an erg, and the athlete of a session's records.
///
/// A record stores the athlete at the time it is written. Records after the end of a session (its
/// summary, the recovery heart rate a minute later) belong to the athlete who finished it, even if
/// the next athlete is already assigned.
package struct AthleteAssignment: Equatable, Sendable {
    /// An opaque slug; nil without an assignment.
    private(set) var athlete: String?
    private(set) var until = AssignmentEnd.changed
    /// The last session that ended, and its athlete.
    private(set) var lastSession: SessionID?
    private(set) var lastAthlete: String?

    package mutating func assign(_ athlete: String?, until: AssignmentEnd) {
        self.athlete = athlete
        self.until = until
    }

    /// Returns the athlete of the records of `session`.
    package func athlete(in session: SessionID) -> String? {
        session == lastSession ? lastAthlete : athlete
    }

    /// Notes that the end of `session` has been recorded.
    mutating func ended(_ session: SessionID) {
        guard session != lastSession else { return }
        lastSession = session
        lastAthlete = athlete
        if until == .sessionEnd {
            athlete = nil
            until = .changed
        }
    }

    /// Removes every mention of `athlete`.
    package mutating func forget(_ athlete: String) {
        if self.athlete == athlete { assign(nil, until: .changed) }
        if lastAthlete == athlete { lastAthlete = nil }
    }
}

/// Athletes assigned to ergs, and crews.
extension Recorder {
    /// Assigns `athlete` to the erg's next records; nil clears the assignment. Durable on return.
    package func assign(
        _ athlete: String?, until: AssignmentEnd, to station: StationID
    ) async {
        setAssignment(athlete, until: until, at: station)
        await durable()
    }

    /// Stores all crews that commands defined, in place of the stored ones. Durable on return.
    package func store(crews: [Crew]) async {
        numbering.store(crews: crews)
        appendState()
        await durable()
    }

    private func setAssignment(_ athlete: String?, until: AssignmentEnd, at station: StationID) {
        numbering.assign(athlete, until: until, to: station)
        appendState()
        commit()
        publishState(of: station)
    }

    /// Assigns the athletes of a roster to the ergs that it names.
    ///
    /// - Parameters:
    ///   - names: names that may be published, by athlete.
    ///   - assignments: the default athlete of each erg.
    ///   - isReplacing: whether to replace existing assignments, which a command may have made.
    package func applyRoster(
        names: [String: String], assignments: [(station: StationID, athlete: String)],
        replacing isReplacing: Bool
    ) {
        retained.setAthleteNames(names)
        for (station, athlete) in assignments
        where isReplacing || self.athlete(at: station) == nil {
            setAssignment(athlete, until: .changed, at: station)
        }
        for station in retained.stations { publishState(of: station) }
    }

    /// Ends the assignments of an athlete; a state without them is on its way to the disk.
    func endAssignments(of athlete: String) {
        numbering.forget(athlete)
        appendState()
        commit()
        for station in retained.stations { publishState(of: station) }
    }

    /// Makes the broker delete retained summaries that were erased.
    func clearRetainedSummaries(_ summaries: [DurableMessage]) {
        for summary in summaries {
            guard let station = summary.station,
                summary.sequence + 1 == numbering.state.stationStates[station]?.next[.summary]
            else { continue }
            callbacks.retain(.lastSummary(station), [])
        }
    }

    /// The assigned athletes by erg.
    var assignments: [StationID: String] {
        numbering.state.stationStates.reduce(into: [:]) { result, entry in
            if let station = entry.key { result[station] = entry.value.assignment.athlete }
        }
    }

    /// The assigned athlete; nil for none.
    package func athlete(at station: StationID) -> String? {
        numbering.state.stationStates[station]?.assignment.athlete
    }
}
