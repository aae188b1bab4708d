import Contract
import Insights

/// Who sits where, and which crews they are. Writes `numbering` and `retained`.
extension Recorder {
    /// From now on the erg's records are `athlete`'s; nobody's when it is nil. Durable on return.
    package func assign(
        _ athlete: String?, until: AssignmentEnd, to station: StationID
    ) async {
        seat(athlete, until: until, at: station)
        await durable()
    }

    /// What commands said of crews from now on. Durable on return.
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

    /// Seats the athletes of a roster where it has a place for them.
    ///
    /// - Parameters:
    ///   - names: those that may be published, by athlete.
    ///   - places: who sits where unless a command says otherwise.
    ///   - isReplacing: whether also where somebody sits already, whom a command may have put there.
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

    /// Has the broker forget summaries that were erased, where it keeps them for late joiners.
    func takeBack(_ summaries: [DurableMessage]) {
        for summary in summaries {
            guard let station = summary.station,
                summary.sequence + 1 == numbering.state.streams[station]?.next[.summary]
            else { continue }
            outlet.retain(.lastSummary(station), [])
        }
    }

    /// Who sits there; nil for nobody.
    package func athlete(at station: StationID) -> String? {
        numbering.state.streams[station]?.assignment.athlete
    }
}
