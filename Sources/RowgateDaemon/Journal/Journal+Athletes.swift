import MQTTPublishing
import Rowing

/// Who sits where.
extension Journal {
    /// From now on the erg's records are `athlete`'s; nobody's when it is nil. Durable on return.
    func assign(_ athlete: String?, until: Seating.End, to station: StationID) {
        state.streams[station, default: .init()].seating.assign(athlete, until: until)
        appendState()
        commit()
        publishState(of: station)
    }

    /// Seats the athletes of a roster where it has a place for them.
    ///
    /// - Parameter isReplacing: whether also where somebody sits already, whom a command may have
    ///   put there.
    func seat(_ configuration: Configuration, replacing isReplacing: Bool) {
        athleteNames =
            configuration.athletes.publishesNames ? configuration.roster?.names ?? [:] : [:]
        for athlete in configuration.roster?.athletes ?? [] {
            guard let station = athlete.erg.flatMap({ StationID($0) }),
                isReplacing || self.athlete(at: station) == nil
            else { continue }
            assign(athlete.id, until: .changed, to: station)
        }
        for station in reports.keys { publishState(of: station) }
    }

    /// Ends the assignments of an athlete; a state without them is durable on return.
    func forgetSeats(of athlete: String) {
        state = state.forgetting(athlete) ?? state
        appendState()
        commit()
        for station in reports.keys { publishState(of: station) }
    }

    /// Has the broker forget summaries that were erased, where it keeps them for late joiners.
    func takeBack(_ summaries: [DurableMessage]) {
        for summary in summaries {
            guard let station = summary.station,
                summary.sequence + 1 == state.streams[station]?.next[.summary]
            else { continue }
            outlet.retain(.lastSummary(station), [])
        }
    }

    func athlete(at station: StationID) -> String? { state.streams[station]?.seating.athlete }
}
