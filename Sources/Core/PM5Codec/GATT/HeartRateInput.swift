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
/// Source: Concept2 CSAFE definition rev 0.25, BLE byte lists. The units of energy and ANT time are from
/// the Bluetooth and ANT heart rate profiles.
package struct HeartRateInput: FieldwisePayload {
    package static let characteristic = CharacteristicID.heartRateInput

    /// Selects the group of fields in use; the other group is 0.
    @WireCode package var source: HeartRateSource = .bluetooth
    /// Kilojoules since the belt was reset.
    package var energyExpendedKilojoules: UInt16 = 0
    /// Between the last two beats, 1/1024 s; valid only with its flag.
    package var intervalPer1024thSecond: UInt16 = 0
    /// Beats per minute of a Bluetooth belt.
    package var heartRateBeatsPerMinute: UInt16 = 0
    /// Flags of the Bluetooth heart rate measurement: 0x01 for a 16-bit rate, 0x10 for an RR interval.
    package var flags: UInt8 = 0
    /// Time of the last beat, 1/1024 s; wraps after 64 s.
    package var antMeasurementPer1024thSecond: UInt16 = 0
    /// Beats so far; wraps after 255.
    package var antBeatCount: UInt8 = 0
    /// Beats per minute of an ANT+ belt.
    package var antHeartRateBeatsPerMinute: UInt8 = 0

    /// 20 bytes, the last eight of which are skipped; fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { 20 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.code(&_source, "source")
        coder.field(&energyExpendedKilojoules, "energy_expended_kj")
        coder.field(&intervalPer1024thSecond, "rr_interval_raw")
        coder.field(&heartRateBeatsPerMinute, "heart_rate_raw")
        coder.field(&flags, "flags")
        coder.field(&antMeasurementPer1024thSecond, "ant_measurement_time_raw")
        coder.field(&antBeatCount, "ant_beat_count")
        coder.field(&antHeartRateBeatsPerMinute, "ant_heart_rate_raw")
        var spare: UInt64 = 0
        coder.field(&spare)
    }
}

/// 0x003B, heart rate belt: on change.
///
/// | off | size | field | unit |
/// |---|---|---|---|
/// | 0 | 1 | manufacturer id | 1 |
/// | 1 | 1 | device type | 1 |
/// | 2 | 4 | belt id | 1 |
///
/// Multiplexed: the same. Source: Concept2 BLE definition rev 1.30, 0x003B.
package struct HeartRateBelt: FieldwisePayload {
    package static let characteristic = CharacteristicID.heartRateBelt

    /// Number of the manufacturer; the registry is not documented.
    package var manufacturerID: UInt8 = 0
    /// Number of the kind of sensor; values not documented.
    package var deviceType: UInt8 = 0
    /// The number that identifies the belt.
    package var beltID: UInt32 = 0

    /// 6 bytes with either carrier; fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { 6 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.field(&manufacturerID, "manufacturer_id")
        coder.field(&deviceType, "device_type")
        coder.field(&beltID, "belt_id")
    }
}
