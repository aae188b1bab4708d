import Bytes

/// 0x003F, logged workout: after the monitor wrote its log; newer firmware only.
///
/// | off | size | field | unit |
/// |---|---|---|---|
/// | 0 | 8 | workout hash | byte 0 least significant |
/// | 8 | 4 | internal log address | 1 |
/// | 12 | 2 | logged size | 1 byte |
/// | 14 | 1 | erg model type | `ErgModelType` |
///
/// Multiplexed: the same. A real packet has four more zero bytes, unexplained: they stay unread.
/// Source: Concept2 CSAFE definition rev 0.25, BLE byte lists.
package struct LoggedWorkout: CharacteristicPayload {
    package static let characteristic = CharacteristicID.loggedWorkout
    static let length = 15

    /// The key under which the Concept2 logbook knows the workout.
    package var workoutHash: UInt64
    /// Where the entry stands in the monitor's memory: for CSAFE 0x6A.
    package var logAddress: UInt32
    /// Bytes of the entry there.
    package var logSizeBytes: UInt16
    /// Not the numbering of `ErgMachineType`.
    @WireCode package var ergModelType: ErgModelType

    package init(
        workoutHash: UInt64, logAddress: UInt32, logSizeBytes: UInt16, ergModelType: ErgModelType
    ) {
        self.workoutHash = workoutHash
        self.logAddress = logAddress
        self.logSizeBytes = logSizeBytes
        self.ergModelType = ergModelType
    }

    /// 15 bytes by either carrier; fewer throw `.truncated`, and of 19 the last four stay unread.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(Self.length)
        workoutHash = fields.uint64()
        logAddress = fields.uint32()
        logSizeBytes = fields.uint16()
        _ergModelType = fields.code()
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        // In the order of the wire, least significant byte first.
        let hash = withUnsafeBytes(of: workoutHash.littleEndian, Array.init)
        return [
            .bytes(
                of: workoutHash, width: 8, printed: Field("workout_hash_hex", .hex(hash))),
            .uint32(logAddress, "internal_log_address"),
            .uint16(logSizeBytes, "log_size_bytes"),
            .code(_ergModelType, "erg_machine_type"),
        ]
    }
}
