import Bytes
import Contract
import Rowing
import Timeline

/// Encodes live samples, numbered per erg, into one buffer that is reused.
struct LiveEncoder {
    private var sequences: [StationID: UInt64] = [:]
    private var json = JSONWriter()

    mutating func encode(
        _ sample: MetricsSample, of station: StationID, gateway: GatewayID, clock: WallClock
    ) -> [UInt8] {
        sequences[station, default: 0] += 1
        sample.encode(
            of: station, gateway: gateway, number: sequences[station, default: 0], clock: clock,
            into: &json)
        return json.bytes
    }
}
