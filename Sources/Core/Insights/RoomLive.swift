import Bytes
import Contract
import Timeline

/// `room/live` and `crew/{crew}/live`, which are not retained.
package struct RoomLive {
    /// nil for the whole room.
    private let crew: Crew?
    private let statistics: RoomStatistics

    package init(_ statistics: RoomStatistics, of crew: Crew? = nil) {
        (self.statistics, self.crew) = (statistics, crew)
    }

    package var topic: GatewayTopic { crew.map { .crewLive($0.id) } ?? .roomLive }

    /// - Parameter number: counts the messages of this topic since the gateway started.
    package func payload(
        gateway: GatewayID, number: UInt64, at now: BootInstant, clock: WallClock
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.head(
                crew == nil ? "room_live" : "crew_live", gateway: gateway, station: nil, at: now,
                clock: clock)
            json.field("live_seq", number)
            if let crew { json.names(of: crew) }
            json.field("ergs", statistics.ergs.map(\.slug))
            json.sums(statistics)
            if crew != nil { json.similarities(statistics) }
        }
    }
}
