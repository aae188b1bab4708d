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

    /// - Parameters:
    ///   - startedAt: Unix milliseconds.
    ///   - machine: nil if the records do not name it.
    ///   - rankedEvent: the event of which it is a ranked result; nil if it is none.
    package init(
        _ name: PieceName, by athlete: String, on day: CalendarDay, startedAt: Int64, machine: MachineKind?,
        total: WorkPoint, rankedEvent: RankedEvent?
    ) {
        (self.athlete, self.day, self.total) = (athlete, day, total)
        (self.machine, isMachineRecorded) = (machine ?? .rower, machine != nil)
        ranked = rankedEvent.map { event in
            Ranked(
                event: event, result: EventResult(ranked: event, of: name, total: total, startedAt: startedAt)
            )
        }
    }

    package init(_ metrics: PieceMetrics, by athlete: String) {
        self.init(
            metrics.name, by: athlete, on: metrics.startedOn, startedAt: metrics.startedAt,
            machine: metrics.isMachineRecorded ? metrics.machine : nil, total: metrics.total,
            rankedEvent: metrics.rankedEvent)
    }

    /// Sets the machine of a session whose records do not name it.
    package mutating func assume(_ kind: MachineKind?) {
        if let kind, !isMachineRecorded { machine = kind }
    }

    /// Removes the ranked result, because the flywheel was still turning at the start.
    package mutating func removeRanking() { ranked = nil }
}
