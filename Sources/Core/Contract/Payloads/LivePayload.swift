import Bytes
import Rowing
import Timeline

/// One `live` message: the dashboard's numbers, QoS 0, never stored.
package struct LivePayload {
    /// The gateway that the erg belongs to.
    package var gateway: GatewayID
    /// The erg.
    package var station: StationID
    /// Counts the live messages of this erg since the gateway started.
    package var sequence: UInt64
    package var sample: MetricsSample
    /// Turns the sample's moment into wall time.
    package var clock: WallClock

    package init(
        gateway: GatewayID, station: StationID, sequence: UInt64, sample: MetricsSample,
        clock: WallClock
    ) {
        self.gateway = gateway
        self.station = station
        self.sequence = sequence
        self.sample = sample
        self.clock = clock
    }

    /// Replaces what `json` holds.
    package func encode(into json: inout JSONWriter) {
        json.reset()
        json.beginObject()
        json.field("v", RecordHead.version)
        json.field("kind", "live")
        json.field("gw", gateway.slug)
        json.field("erg", station.slug)
        clock.stamp(at: sample.at).write(into: &json)
        json.field("live_seq", sequence)
        json.field("state", sample.state.rawValue)
        json.field("stale", sample.isStale ? true : nil)
        json.seconds("elapsed_s", sample.elapsed)
        json.meters("distance_m", sample.distance)
        json.field("stroke_rate_spm", sample.strokeRate)
        json.pace("pace_s_per_500m", sample.pace)
        json.field("power_w", sample.powerWatts)
        json.field("heart_rate_bpm", sample.heartRate)
        json.field("drag_factor", sample.dragFactor)
        json.field("stroke_phase", sample.strokePhase?.word)
        json.pace("avg_pace_s_per_500m", sample.averagePace)
        json.seconds("rest_time_s", sample.rest)
        json.meters("rest_distance_m", sample.restDistance)
        json.field(
            "speed_m_per_s", sample.speedMillimetersPerSecond.map(Int64.init), places: 3)
        json.endObject()
    }
}
