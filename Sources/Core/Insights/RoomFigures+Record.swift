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
        json.field("ergs", figures.ergs.map(\.slug))
        json.field("strokes", strokes)
        json.sums(figures)
    }
}

extension CrewRollup: RecordBody {
    package static let recordKind = StreamKind.crewRollup

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.names(of: crew)
        minute.write(into: &json, context: context)
        json.similarities(minute.figures)
    }
}

/// `room/live` and `crew/{crew}/live`, which are not retained.
package struct RoomLive {
    /// nil for the whole room.
    private let crew: Crew?
    private let figures: RoomFigures

    package init(_ figures: RoomFigures, of crew: Crew? = nil) {
        (self.figures, self.crew) = (figures, crew)
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
            json.field("ergs", figures.ergs.map(\.slug))
            json.sums(figures)
            if crew != nil { json.similarities(figures) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func names(of crew: Crew) {
        field("crew", crew.id.slug)
        field("members", crew.ergs.map(\.slug))
    }

    fileprivate mutating func sums(_ figures: RoomFigures) {
        meters("distance_m", figures.distance)
        field("total_power_w", figures.totalPower.map(Int64.init), places: 1)
        field("avg_power_w", figures.power.map(Int64.init), places: 1)
        field("avg_stroke_rate_spm", figures.rate.map(Int64.init), places: 1)
        field("avg_heart_rate_bpm", figures.heartRate.map(Int64.init), places: 1)
        pace("pace_s_per_500m", figures.pace)
    }

    fileprivate mutating func similarities(_ figures: RoomFigures) {
        ratios("erg_rate_similarity_ratio", figures.rateSimilarity)
        ratios("erg_force_similarity_ratio", figures.forceSimilarity)
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
