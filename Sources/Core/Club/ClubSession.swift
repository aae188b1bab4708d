import Bests
import Timeline

/// A session as the statistics of a club count it. It is small, because a store has many sessions.
package struct ClubSession: Equatable, Sendable {
    /// A ranked result, and its event.
    package struct Ranked: Equatable, Sendable {
        package let event: RankedEvent
        package let result: EventResult

        package init(event: RankedEvent, result: EventResult) {
            (self.event, self.result) = (event, result)
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
