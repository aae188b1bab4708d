import Rowing
import Timeline

/// What the strokes of a minute amount to, of all ergs that were rowed in it.
package struct RoomRollup: Equatable, Sendable {
    /// The minute, which is shorter where the gateway stopped in it.
    package let begin: BootInstant
    package let at: BootInstant
    package let strokes: Int
    package let figures: RoomFigures
}

/// The same of a crew.
package struct CrewRollup: Equatable, Sendable {
    package let crew: Crew
    package let minute: RoomRollup
}

/// Something that the strokes of several ergs mean.
package enum RoomInsight: Equatable, Sendable {
    case room(RoomRollup)
    case crew(CrewRollup)
}
