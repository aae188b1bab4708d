import Bytes
import Contract
import Rowing
import Timeline

/// Writes live samples, numbered for each erg, into one buffer that is used again.
struct LiveEncoder {
    private var sequences: [StationID: UInt64] = [:]
    private var json = JSONWriter()

    mutating func encode(
        _ sample: MetricsSample, of station: StationID, gateway: GatewayID, clock: WallClock
    ) -> [UInt8] {
        sequences[station, default: 0] += 1
        LivePayload(
            gateway: gateway, station: station, sequence: sequences[station, default: 0],
            sample: sample, clock: clock
        ).encode(into: &json)
        return json.bytes
    }
}
