import Bytes
import Contract
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

/// Encodes the published minute of a room.
extension RoomRollup: RecordBody {
    package static let recordKind = StreamKind.roomRollup

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("from_ms", context.clock.unixMilliseconds(at: begin))
        json.seconds("duration_s", begin.duration(to: at))
        json.field("ergs", statistics.ergs.map(\.slug))
        json.field("strokes", strokes)
        json.sums(statistics)
    }
}

extension CrewRollup: RecordBody {
    package static let recordKind = StreamKind.crewRollup

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.names(of: crew)
        minute.write(into: &json, context: context)
        json.similarities(minute.statistics)
    }
}
