import Bytes

/// 0x0041, heart rate input: written by the host, newer firmware only.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 1 | source | `HeartRateSource` | |
/// | 1 | 2 | Bluetooth energy expended | 1 kJ | |
/// | 3 | 2 | Bluetooth RR interval | 1/1024 s | |
/// | 5 | 2 | Bluetooth heart rate | 1/min | |
/// | 7 | 1 | Bluetooth flags | heart rate measurement flags | 0x11: 16-bit rate and RR |
/// | 8 | 2 | ANT measurement time | 1/1024 s | |
/// | 10 | 1 | ANT beat count | 1 | |
/// | 11 | 1 | ANT heart rate | 1/min | |
/// | 12 | 8 | spare | | 0 |
///
/// Source: Concept2 CSAFE definition rev 0.25, BLE byte lists. The units of energy and ANT time are
/// those of the Bluetooth and ANT heart rate profiles.
package struct HeartRateInput: CharacteristicPayload {
    package static let characteristic = CharacteristicID.heartRateInput
    static let length = 20

    /// Which of the two groups of fields counts; the other is 0.
    @WireCode package var source: HeartRateSource
    /// Kilojoules since the belt was reset.
    package var energyExpendedKilojoules: UInt16
    /// Between the last two beats, 1/1024 s; meant only where the flags say so.
    package var intervalPer1024thSecond: UInt16
    /// Beats per minute of a Bluetooth belt.
    package var heartRateBeatsPerMinute: UInt16
    /// Those of the Bluetooth heart rate measurement: 0x01 a rate of 16 bits, 0x10 an RR interval.
    package var flags: UInt8
    /// Moment of the last beat, 1/1024 s; runs over after 64 s.
    package var antMeasurementPer1024thSecond: UInt16
    /// Beats so far; runs over after 255.
    package var antBeatCount: UInt8
    /// Beats per minute of an ANT+ belt.
    package var antHeartRateBeatsPerMinute: UInt8

    /// 20 bytes, of which the last eight are passed over; fewer throw `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(Self.length)
        _source = fields.code()
        energyExpendedKilojoules = fields.uint16()
        intervalPer1024thSecond = fields.uint16()
        heartRateBeatsPerMinute = fields.uint16()
        flags = fields.uint8()
        antMeasurementPer1024thSecond = fields.uint16()
        antBeatCount = fields.uint8()
        antHeartRateBeatsPerMinute = fields.uint8()
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        [
            .code(_source, "source"),
            .uint16(energyExpendedKilojoules, "energy_expended_kj"),
            .uint16(intervalPer1024thSecond, "rr_interval_raw"),
            .uint16(heartRateBeatsPerMinute, "heart_rate_raw"),
            .uint8(flags, "flags"),
            .uint16(antMeasurementPer1024thSecond, "ant_measurement_time_raw"),
            .uint8(antBeatCount, "ant_beat_count"),
            .uint8(antHeartRateBeatsPerMinute, "ant_heart_rate_raw"),
            .bytes(of: 0, width: 8),
        ]
    }
}
