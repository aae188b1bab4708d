import Bests
import Bytes
import Timeline

/// Work in a season up to a day, and in the season before up to the same day.
package struct VolumeComparison: Equatable, Sendable {
    package fileprivate(set) var now = ClubVolume()
    package fileprivate(set) var before = ClubVolume()

    /// Adds a session of the only athlete of these sums, which counts for the period of its day, if it is in one.
    mutating func add(_ total: WorkPoint, on day: CalendarDay, in period: SeasonPeriod) {
        if period.days.contains(day) { now.add(total) }
        if period.previousDays.contains(day) { before.add(total) }
    }

    /// Adds the sums of another athlete.
    mutating func add(_ other: VolumeComparison) {
        now.add(other.now)
        before.add(other.before)
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter, countsAthletes: Bool = true) {
        now.write(into: &json, countsAthletes: countsAthletes)
        json.object("previous") { before.write(into: &$0, countsAthletes: countsAthletes) }
    }
}

/// Sums over the sessions of athletes.
package struct ClubVolume: Equatable, Sendable {
    /// Hundredths of a second, and tenths of a metre, of work.
    package private(set) var centiseconds: Int64 = 0
    package private(set) var decimetres: Int64 = 0
    package private(set) var sessions = 0
    /// The number of athletes with such a session.
    package private(set) var athletes = 0

    /// Adds a session of the only athlete of these sums.
    mutating func add(_ total: WorkPoint) {
        centiseconds += total.centiseconds
        decimetres += total.decimetres
        sessions += 1
        athletes = 1
    }

    /// Adds the sums of other athletes.
    mutating func add(_ other: ClubVolume) {
        centiseconds += other.centiseconds
        decimetres += other.decimetres
        sessions += other.sessions
        athletes += other.athletes
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter, countsAthletes: Bool = true) {
        json.field("distance_m", decimetres, places: 1)
        json.field("time_s", centiseconds, places: 2)
        json.field("sessions", sessions)
        if countsAthletes { json.field("athletes", athletes) }
    }
}
