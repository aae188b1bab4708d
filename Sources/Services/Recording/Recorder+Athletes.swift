import Contract
import Insights

/// Athletes assigned to ergs, and crews. Writes `numbering` and `retained`.
extension Recorder {
    /// Assigns `athlete` to the erg's next records; nil clears the assignment. Durable on return.
    package func assign(
        _ athlete: String?, until: AssignmentEnd, to station: StationID
    ) async {
        seat(athlete, until: until, at: station)
        await durable()
    }

    /// Stores the crews that commands defined. Durable on return.
    package func keep(crews: [Crew]) async {
        numbering.keep(crews: crews)
        appendState()
        await durable()
    }

    private func seat(_ athlete: String?, until: AssignmentEnd, at station: StationID) {
        numbering.assign(athlete, until: until, to: station)
        appendState()
        commit()
        publishState(of: station)
    }

    /// Assigns the athletes of a roster to the ergs that it names.
    ///
    /// - Parameters:
    ///   - names: names that may be published, by athlete.
    ///   - places: the default athlete of each erg.
    ///   - isReplacing: whether to replace existing assignments, which a command may have made.
    package func seat(
        names: [String: String], places: [(station: StationID, athlete: String)],
        replacing isReplacing: Bool
    ) {
        retained.publish(names: names)
        for (station, athlete) in places
        where isReplacing || self.athlete(at: station) == nil {
            seat(athlete, until: .changed, at: station)
        }
        for station in retained.stations { publishState(of: station) }
    }

    /// Ends the assignments of an athlete; a state without them is on its way to the disk.
    func forgetSeats(of athlete: String) {
        numbering.forget(athlete)
        appendState()
        commit()
        for station in retained.stations { publishState(of: station) }
    }

    /// Makes the broker delete retained summaries that were erased.
    func takeBack(_ summaries: [DurableMessage]) {
        for summary in summaries {
            guard let station = summary.station,
                summary.sequence + 1 == numbering.state.streams[station]?.next[.summary]
            else { continue }
            outlet.retain(.lastSummary(station), [])
        }
    }

    /// The assigned athlete; nil for none.
    package func athlete(at station: StationID) -> String? {
        numbering.state.streams[station]?.assignment.athlete
    }
}
