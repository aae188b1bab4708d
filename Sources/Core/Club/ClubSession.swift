import Bests
import Timeline

/// A session as the statistics of a club count it. It is small, because a store has many sessions.
package struct ClubSession: Equatable, Sendable {
    /// A ranked result over an event.
    package struct Ranked: ComparableResult, Equatable, Sendable {
        package let event: RankedEvent
        package let name: PieceName
        package let centiseconds: Int64
        package let decimetres: Int64
        package let date: Int64

        package init(_ event: RankedEvent, of name: PieceName, total: WorkPoint, startedAt: Int64) {
            (self.event, self.name, date) = (event, name, startedAt)
            (centiseconds, decimetres) = (total.centiseconds, total.decimetres)
        }

        /// As it is shown.
        var result: EventResult {
            EventResult(
                ranked: event, of: name,
                total: WorkPoint(centiseconds: centiseconds, decimetres: decimetres), startedAt: date)
        }
    }

    /// An athlete id.
    package let athlete: String
    /// The club's day on which it began; it counts for this day.
    package let day: CalendarDay
    package let machine: MachineKind
    /// Work time and distance.
    package let total: WorkPoint
    /// nil if it is not a ranked result.
    package let ranked: Ranked?

    package init(
        by athlete: String, on day: CalendarDay, machine: MachineKind, total: WorkPoint, ranked: Ranked?
    ) {
        (self.athlete, self.day, self.machine, self.total) = (athlete, day, machine, total)
        self.ranked = ranked
    }
}
