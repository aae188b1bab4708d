import Rowing
import Timeline

/// Statistics over the strokes of a minute, of all ergs that were rowed in it.
package struct RoomRollup: Equatable, Sendable {
    /// The minute, which is shorter if the gateway stopped in it.
    package let begin: BootInstant
    package let at: BootInstant
    package let strokes: Int
    package let statistics: RoomStatistics
}

/// The same for a crew.
package struct CrewRollup: Equatable, Sendable {
    package let crew: Crew
    package let minute: RoomRollup
}

/// An insight derived from the strokes of several ergs.
package enum RoomInsight: Equatable, Sendable {
    case room(RoomRollup)
    case crew(CrewRollup)
}
