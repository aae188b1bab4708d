import Bytes

/// 0x003B, heart rate belt: on change.
///
/// | off | size | field | unit |
/// |---|---|---|---|
/// | 0 | 1 | manufacturer id | 1 |
/// | 1 | 1 | device type | 1 |
/// | 2 | 4 | belt id | 1 |
///
/// Multiplexed: the same. Source: Concept2 BLE definition rev 1.30, 0x003B.
package struct HeartRateBelt: CharacteristicPayload {
    package static let characteristic = CharacteristicID.heartRateBelt
    static let length = 6

    /// Number of the maker; of which registry is not documented.
    package var manufacturerID: UInt8
    /// Number of the kind of sensor; values not documented.
    package var deviceType: UInt8
    /// The number that tells one belt from another.
    package var beltID: UInt32

    package init(manufacturerID: UInt8, deviceType: UInt8, beltID: UInt32) {
        self.manufacturerID = manufacturerID
        self.deviceType = deviceType
        self.beltID = beltID
    }

    /// 6 bytes by either carrier; fewer throw `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(Self.length)
        manufacturerID = fields.uint8()
        deviceType = fields.uint8()
        beltID = fields.uint32()
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        [
            .uint8(manufacturerID, "manufacturer_id"),
            .uint8(deviceType, "device_type"),
            .uint32(beltID, "belt_id"),
        ]
    }
}
