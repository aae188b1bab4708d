import Bests
import Timeline

/// A session as the statistics of a club count it. It is small, because a store has many sessions.
package struct ClubSession: Equatable, Sendable {
    /// A ranked result, and its event.
    package struct Ranked: Equatable, Sendable {
        package let event: RankedEvent
        package let result: EventResult
    }

    /// An athlete id.
    package let athlete: String
    package private(set) var machine: MachineKind
    private let isMachineRecorded: Bool
    /// The club's day on which it began; it counts for this day.
    package let day: CalendarDay
    /// Work time and distance.
    package let total: WorkPoint
    /// nil if it is not a ranked result.
    package private(set) var ranked: Ranked?

    package init(_ metrics: PieceMetrics, by athlete: String) {
        self.athlete = athlete
        (machine, isMachineRecorded) = (metrics.machine, metrics.isMachineRecorded)
        (day, total) = (metrics.startedOn, metrics.total)
        if let event = metrics.rankedEvent, let result = metrics.ranked(over: event) {
            ranked = Ranked(event: event, result: result)
        }
    }

    /// Sets the machine of a session whose records do not name it.
    package mutating func assume(_ kind: MachineKind?) {
        if let kind, !isMachineRecorded { machine = kind }
    }

    /// Removes the ranked result, because the flywheel was still turning at the start.
    package mutating func removeRanking() { ranked = nil }
}
