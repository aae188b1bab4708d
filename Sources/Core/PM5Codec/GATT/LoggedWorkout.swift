import Bytes

/// 0x003F, logged workout: after the monitor has written its log; newer firmware only.
///
/// | off | size | field | unit |
/// |---|---|---|---|
/// | 0 | 8 | workout hash | byte 0 least significant |
/// | 8 | 4 | internal log address | 1 |
/// | 12 | 2 | logged size | 1 byte |
/// | 14 | 1 | erg model type | `ErgModelType` |
///
/// Multiplexed: the same. A real packet has four more zero bytes of unknown meaning, which stay unread.
/// Source: Concept2 CSAFE definition rev 0.25, BLE byte lists.
package struct LoggedWorkout: FieldwisePayload {
    package static let characteristic = CharacteristicID.loggedWorkout

    /// The key of the workout in the Concept2 logbook.
    package var workoutHash: UInt64 = 0
    /// The address of the entry in the monitor's memory, for CSAFE 0x6A.
    package var logAddress: UInt32 = 0
    /// Length of the entry in bytes.
    package var logSizeBytes: UInt16 = 0
    /// Its numbers differ from `ErgMachineType`.
    @WireCode package var ergModelType: ErgModelType = .modelDOrE

    /// 15 bytes with either carrier; fewer throw `.truncated`. The last four of 19 stay unread.
    static func length(by carrier: Carrier) -> Int { 15 }

    /// In protocol order, least significant byte first.
    private var workoutHashBytes: [UInt8] { withUnsafeBytes(of: workoutHash.littleEndian, Array.init) }

    /// The hash as 16 hexadecimal digits, in protocol order.
    package var workoutHashText: String { hexadecimal(workoutHashBytes) }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.field(&workoutHash)
        coder.meaning(Field("workout_hash_hex", .hex(workoutHashBytes)))
        coder.field(&logAddress, "internal_log_address")
        coder.field(&logSizeBytes, "log_size_bytes")
        coder.code(&_ergModelType, "erg_machine_type")
    }
}
