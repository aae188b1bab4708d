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
package struct HeartRateChannel<Number: ReplyValue>: ReplyValue {
    /// Whether a sensor is looked for or found.
    package var status: HeartRateChannelStatus
    /// Of the sensor; 0 and 0 for none.
    package var sensor: HeartRateSensor
    /// The number that tells one sensor from another.
    package var number: Number

    package init(status: HeartRateChannelStatus, sensor: HeartRateSensor, number: Number) {
        self.status = status
        self.sensor = sensor
        self.number = number
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        status = try reader.code()
        sensor = try reader.sensor()
        number = try Number(decoding: &reader, order: order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.code(status)
        writer.sensor(sensor)
        number.encode(into: &writer, order: order)
    }
}

/// Reply to HRBELT_INFO 0x56 and EXTENDED_HRBELT_INFO 0x57, `Number` 16 or 32 bits wide.
package struct HeartRateBeltReply<Number: ReplyValue>: ReplyValue {
    /// The user number asked for.
    package var user: UInt8
    /// Of the belt; 0 and 0 for none.
    package var sensor: HeartRateSensor
    /// The number that tells one belt from another.
    package var number: Number

    package init(user: UInt8, sensor: HeartRateSensor, number: Number) {
        self.user = user
        self.sensor = sensor
        self.number = number
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        user = try reader.uint8()
        sensor = try reader.sensor()
        number = try Number(decoding: &reader, order: order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint8(user)
        writer.sensor(sensor)
        number.encode(into: &writer, order: order)
    }
}

/// Reply to SCREENSTATESTATUS 0x86.
package struct ScreenStatusReply: ReplyValue {
    /// Which set of values `value` is of.
    package var type: ScreenType
    /// The last screen command.
    package var value: ScreenValue
    /// Whether it was obeyed: `.inactive` is done.
    package var status: ScreenStatus

    package init(type: ScreenType, value: ScreenValue, status: ScreenStatus) {
        self.type = type
        self.value = value
        self.status = status
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        type = try reader.code()
        value = try reader.code()
        status = try reader.code()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.code(type)
        writer.code(value)
        writer.code(status)
    }
}

/// Reply to INTERNALLOGPARAMS 0x99.
package struct LogParametersReply: ReplyValue {
    /// For `internalLogMemory`; of the log or of its last entry is not documented.
    package var startAddress: UInt32
    /// Length of the last entry.
    package var lastEntryBytes: UInt16

    package init(startAddress: UInt32, lastEntryBytes: UInt16) {
        self.startAddress = startAddress
        self.lastEntryBytes = lastEntryBytes
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        startAddress = try reader.uint32(order)
        lastEntryBytes = try reader.uint16(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint32(startAddress, order)
        writer.uint16(lastEntryBytes, order)
    }
}

/// Reply to PRODUCTCONFIGURATION 0x9A; four unused bytes follow.
package struct ProductConfigurationReply: ReplyValue {
    static let unusedLength = 4

    /// 340 and 634 on the PM5s seen.
    package var hardware: UInt16
    /// 20 on firmware 8200-000320-020.000.
    package var software: UInt16
    /// Build of that software.
    package var softwareBuild: UInt8
    /// Maker of the LCD; numbers not published.
    package var displayMaker: UInt8

    package init(hardware: UInt16, software: UInt16, softwareBuild: UInt8, displayMaker: UInt8) {
        self.hardware = hardware
        self.software = software
        self.softwareBuild = softwareBuild
        self.displayMaker = displayMaker
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        hardware = try reader.uint16(order)
        software = try reader.uint16(order)
        softwareBuild = try reader.uint8()
        displayMaker = try reader.uint8()
        try reader.skip(Self.unusedLength)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint16(hardware, order)
        writer.uint16(software, order)
        writer.append([softwareBuild, displayMaker])
        writer.append(repeatElement(0, count: Self.unusedLength))
    }
}

/// Reply to WORKOUTDURATION 0xE8.
package struct WorkoutDurationReply: ReplyValue {
    /// The unit of `amount`.
    package var type: DurationType
    /// In the unit of the type: 0.01 s, metres, calories or watt-minutes.
    package var amount: UInt32

    package init(type: DurationType, amount: UInt32) {
        self.type = type
        self.amount = amount
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        type = try reader.code()
        amount = try reader.uint32(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.code(type)
        writer.uint32(amount, order)
    }
}

/// Reply to PM5_FWUPDATESTATUS 0xEF.
package struct FirmwareUpdateReply: ReplyValue {
    /// What `status` tells of; values not published.
    package var infoType: UInt16
    /// Values not published.
    package var status: UInt16

    package init(infoType: UInt16, status: UInt16) {
        self.infoType = infoType
        self.status = status
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        infoType = try reader.uint16(order)
        status = try reader.uint16(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint16(infoType, order)
        writer.uint16(status, order)
    }
}

/// Reply to CURRENT_LOG_STRUCTURE 0x58: which structure, then a count and that many bytes.
package struct LogStructureReply: ReplyValue {
    /// As asked for.
    package var structure: UInt8
    /// As asked for.
    package var splitNumber: UInt8
    /// At most 255, whose meaning is not published.
    package var bytes: [UInt8]

    package init(structure: UInt8, splitNumber: UInt8, bytes: [UInt8]) {
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
