import Bytes
import Contract
import Rowing
import Timeline

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

extension JSONWriter {
    fileprivate mutating func names(of crew: Crew) {
        field("crew", crew.id.slug)
        field("members", crew.ergs.map(\.slug))
    }

    fileprivate mutating func sums(_ statistics: RoomStatistics) {
        meters("distance_m", statistics.distance)
        field("total_power_w", statistics.totalPower.map(Int64.init), places: 1)
        field("avg_power_w", statistics.power.map(Int64.init), places: 1)
        field("avg_stroke_rate_spm", statistics.rate.map(Int64.init), places: 1)
        field("avg_heart_rate_bpm", statistics.heartRate.map(Int64.init), places: 1)
        pace("pace_s_per_500m", statistics.pace)
    }

    fileprivate mutating func similarities(_ statistics: RoomStatistics) {
        ratios("erg_rate_similarity_ratio", statistics.rateSimilarity)
        ratios("erg_force_similarity_ratio", statistics.forceSimilarity)
    }

    private mutating func ratios(_ name: StaticString, _ ratios: [ErgRatio]) {
        object(name) { json in
            for ratio in ratios {
                json.key(ratio.erg.slug)
                json.value(Int64(ratio.thousandths), places: 3)
            }
        }
    }
}
