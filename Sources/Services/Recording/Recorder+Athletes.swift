import Contract
import Insights

/// Athletes assigned to ergs, and crews. Writes `numbering` and `retained`.
extension Recorder {
    /// Assigns `athlete` to the erg's next records; nil clears the assignment. Durable on return.
    package func assign(
        _ athlete: String?, until: AssignmentEnd, to station: StationID
    ) async {
        setAssignment(athlete, until: until, at: station)
        await durable()
    }

    /// Stores the crews that commands defined. Durable on return.
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

    /// The assigned athlete; nil for none.
    package func athlete(at station: StationID) -> String? {
        numbering.state.stationStates[station]?.assignment.athlete
    }
}
