import Bytes

/// Reply to FW_VERSION 0x80 and HW_VERSION 0x81: text in 16 bytes, padded with NUL.
package struct VersionText: ReplyValue {
    static let length = 16

    /// Without the padding.
    package var text: String

    /// At most 16 bytes of ASCII.
    package init(_ text: String) {
        precondition(text.utf8.count <= Self.length, "version text is longer than 16 bytes")
        self.text = text
    }

    /// 16 bytes; fewer throw `.truncated`.
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        let padded = try reader.slice(Self.length)
        text = String(decoding: padded.prefix { $0 != 0 }, as: UTF8.self)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append(text.utf8)
        writer.append(repeatElement(0, count: Self.length - text.utf8.count))
    }
}

/// Reply to HRM 0x84 and EXTENDED_HRM 0xEA, `Number` 16 or 32 bits wide.
package struct HeartRateChannel<Number: ReplyValue & FixedWidthInteger>: CompositeValue {
    /// Whether the monitor searches for a sensor or has found one.
    package var status: HeartRateChannelStatus = .inactive
    /// Of the sensor; 0 and 0 for none.
    package var sensor = HeartRateSensor()
    /// The number that identifies the sensor.
    package var number: Number = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&status)
        coder.field(&sensor)
        coder.field(&number)
    }
}

/// Reply to HRBELT_INFO 0x56 and EXTENDED_HRBELT_INFO 0x57, `Number` 16 or 32 bits wide.
package struct HeartRateBeltReply<Number: ReplyValue & FixedWidthInteger>: CompositeValue {
    /// The requested user number.
    package var user: UInt8 = 0
    /// Of the belt; 0 and 0 for none.
    package var sensor = HeartRateSensor()
    /// The number that identifies the belt.
    package var number: Number = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&user)
        coder.field(&sensor)
        coder.field(&number)
    }
}

/// Reply to SCREENSTATESTATUS 0x86.
package struct ScreenStatusReply: CompositeValue {
    /// The set of values that `value` belongs to.
    package var type: ScreenType = .none
    /// The last screen command.
    package var value: ScreenValue = .none
    /// Whether it was executed: `.inactive` means done.
    package var status: ScreenStatus = .inactive

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&type)
        coder.field(&value)
        coder.field(&status)
    }
}

/// Reply to INTERNALLOGPARAMS 0x99.
package struct LogParametersReply: CompositeValue {
    /// For `internalLogMemory`. Whether it refers to the log or to its last entry is not documented.
    package var startAddress: UInt32 = 0
    /// Length of the last entry.
    package var lastEntryBytes: UInt16 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&startAddress)
        coder.field(&lastEntryBytes)
    }
}

/// Reply to PRODUCTCONFIGURATION 0x9A; four unused bytes follow.
package struct ProductConfigurationReply: CompositeValue {
    /// 340 and 634 on known PM5s.
    package var hardware: UInt16 = 0
    /// 20 on firmware 8200-000320-020.000.
    package var software: UInt16 = 0
    /// Build of that software.
    package var softwareBuild: UInt8 = 0
    /// Manufacturer of the LCD; numbers not published.
    package var displayMaker: UInt8 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&hardware)
        coder.field(&software)
        coder.field(&softwareBuild)
        coder.field(&displayMaker)
        var unused: UInt32 = 0
        coder.field(&unused)
    }
}

/// Reply to WORKOUTDURATION 0xE8.
package struct WorkoutDurationReply: CompositeValue {
    /// The unit of `amount`.
    package var type: DurationType = .time
    /// In the unit of the type: 0.01 s, metres, calories or watt-minutes.
    package var amount: UInt32 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&type)
        coder.field(&amount)
    }
}

/// Reply to PM5_FWUPDATESTATUS 0xEF.
package struct FirmwareUpdateReply: CompositeValue {
    /// The subject of `status`; values not published.
    package var infoType: UInt16 = 0
    /// Values not published.
    package var status: UInt16 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&infoType)
        coder.field(&status)
    }
}

/// Reply to CURRENT_LOG_STRUCTURE 0x58: the structure, then a count and that many bytes.
package struct LogStructureReply: ReplyValue {
    /// As requested.
    package var structure: UInt8
    /// As requested.
    package var splitNumber: UInt8
    /// At most 255 bytes; their meaning is not published.
    package var bytes: [UInt8]

    init(structure: UInt8, splitNumber: UInt8, bytes: [UInt8]) {
        precondition(bytes.count < 256, "a log structure has a one-byte count")
        self.structure = structure
        self.splitNumber = splitNumber
        self.bytes = bytes
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        structure = try reader.uint8()
        splitNumber = try reader.uint8()
        bytes = Array(try reader.slice(Int(try reader.uint8())))
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append([structure, splitNumber, UInt8(bytes.count)])
        writer.append(bytes)
    }
}
