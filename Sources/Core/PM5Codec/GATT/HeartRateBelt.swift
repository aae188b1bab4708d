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
