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
    static let spareLength = 8

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

    package init(
        source: HeartRateSource, energyExpendedKilojoules: UInt16 = 0,
        intervalPer1024thSecond: UInt16 = 0, heartRateBeatsPerMinute: UInt16 = 0, flags: UInt8 = 0,
        antMeasurementPer1024thSecond: UInt16 = 0, antBeatCount: UInt8 = 0,
        antHeartRateBeatsPerMinute: UInt8 = 0
    ) {
        self.source = source
        self.energyExpendedKilojoules = energyExpendedKilojoules
        self.intervalPer1024thSecond = intervalPer1024thSecond
        self.heartRateBeatsPerMinute = heartRateBeatsPerMinute
        self.flags = flags
        self.antMeasurementPer1024thSecond = antMeasurementPer1024thSecond
        self.antBeatCount = antBeatCount
        self.antHeartRateBeatsPerMinute = antHeartRateBeatsPerMinute
    }

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

    /// 20 bytes, the last eight 0.
    package func encode(into writer: inout ByteWriter, carrier: Carrier) {
        writer.code(source)
        writer.uint16(energyExpendedKilojoules)
        writer.uint16(intervalPer1024thSecond)
        writer.uint16(heartRateBeatsPerMinute)
        writer.uint8(flags)
        writer.uint16(antMeasurementPer1024thSecond)
        writer.uint8(antBeatCount)
        writer.uint8(antHeartRateBeatsPerMinute)
        writer.append(repeatElement(0, count: Self.spareLength))
    }

    package var fields: [Field] {
        [
            Field("source", source),
            Field("energy_expended_kj", energyExpendedKilojoules),
            Field("rr_interval_raw", intervalPer1024thSecond),
            Field("heart_rate_raw", heartRateBeatsPerMinute),
            Field("flags", flags),
            Field("ant_measurement_time_raw", antMeasurementPer1024thSecond),
            Field("ant_beat_count", antBeatCount),
            Field("ant_heart_rate_raw", antHeartRateBeatsPerMinute),
        ]
    }
}
