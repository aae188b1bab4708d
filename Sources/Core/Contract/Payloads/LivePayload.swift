import Bytes
import Rowing
import Timeline

extension MetricsSample {
    /// Milliseconds between two `live` messages of an erg, and between two ticks of a `SessionMachine`, which
    /// needs one every second. config/rowgate.toml repeats the range.
    package static let liveIntervalRange = 250...1000

    /// Replaces the content of `json` with a `live` message: values for dashboards, QoS 0, not stored.
    ///
    /// - Parameters:
    ///   - number: number of the live message of this erg since the gateway started.
    ///   - clock: converts the sample's instant to wall time.
    package func encode(
        of station: StationID, gateway: GatewayID, number: UInt64, clock: WallClock,
        into json: inout JSONWriter
    ) {
        json.reset()
        json.beginObject()
        json.field("v", RecordHead.version)
        json.field("kind", "live")
        json.field("gw", gateway.slug)
        json.field("erg", station.slug)
        clock.stamp(at: at).write(into: &json)
        json.field("live_seq", number)
        json.field("state", state.rawValue)
        json.field("stale", isStale ? true : nil)
        json.seconds("elapsed_s", elapsed)
        json.meters("distance_m", distance)
        json.field("stroke_rate_spm", strokeRate)
        json.pace("pace_s_per_500m", pace)
        json.field("power_w", powerWatts)
        json.field("heart_rate_bpm", heartRate)
        json.field("drag_factor", dragFactor)
        json.field("stroke_phase", strokePhase?.wireName)
        json.pace("avg_pace_s_per_500m", averagePace)
        json.seconds("rest_time_s", rest)
        json.meters("rest_distance_m", restDistance)
        json.field(
            "speed_m_per_s", speedMillimetersPerSecond.map(Int64.init), places: 3)
        json.interval(interval)
        json.field("interval_count", intervalCount)
        json.meters("remaining_distance_m", remainder?.distance)
        json.seconds("remaining_time_s", remainder?.time)
        json.field("remaining_calories_kcal", remainder?.calories)
        json.bands(target?.bands)
        json.targetPositions(target)
        json.endObject()
    }
}
