import Bytes

/// Reply to GETVERSION 0x91: a PM5 is manufacturer 22, class 2, model 5.
package struct VersionReply: ReplyValue {
    /// 22 for Concept2.
    package var manufacturer: UInt8
    /// 2 on a PM5.
    package var classID: UInt8
    /// 5 on a PM5.
    package var model: UInt8
    /// 340 on the PM5 of the recording.
    package var hardware: UInt16
    /// 20 there, where 0x0014 ends in 020.000.
    package var software: UInt16

    package init(
        manufacturer: UInt8 = 22, classID: UInt8 = 2, model: UInt8 = 5, hardware: UInt16,
        software: UInt16
    ) {
        self.manufacturer = manufacturer
        self.classID = classID
        self.model = model
        self.hardware = hardware
        self.software = software
    }

    /// 7 bytes; fewer throw `.truncated`.
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        manufacturer = try reader.uint8()
        classID = try reader.uint8()
        model = try reader.uint8()
        hardware = try reader.uint16(order)
        software = try reader.uint16(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append([manufacturer, classID, model])
        writer.uint16(hardware, order)
        writer.uint16(software, order)
    }
}

/// A number and the byte that names its unit, `Number` 16 or 32 bits wide.
package struct UnitValue<Number: ReplyValue>: ReplyValue {
    /// In `unit`, whatever the query is for: a monitor may be asked in other units.
    package var value: Number
    /// The unit byte behind the number.
    package var unit: CSAFEUnit

    package init(_ value: Number, _ unit: CSAFEUnit) {
        self.value = value
        self.unit = unit
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        value = try Number(decoding: &reader, order: order)
        unit = try reader.code()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        value.encode(into: &writer, order: order)
        writer.code(unit)
    }
}

extension UnitValue<UInt16> {
    /// GETPACE answers in seconds per kilometre: 249 is 2:04.5 per 500 m. Nil in other units.
    package var paceCentisecondsPer500m: UInt32? {
        unit == .secondsPerKilometer ? UInt32(value) * 50 : nil
    }
}

/// Reply to GETTWORK 0xA0.
package struct WorkTimeReply: ReplyValue {
    /// 0 to 9.
    package var hours: UInt8
    /// 0 to 59.
    package var minutes: UInt8
    /// 0 to 59.
    package var seconds: UInt8

    package init(hours: UInt8, minutes: UInt8, seconds: UInt8) {
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
    }

    /// The three together, in seconds.
    package var totalSeconds: Int { (Int(hours) * 60 + Int(minutes)) * 60 + Int(seconds) }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        hours = try reader.uint8()
        minutes = try reader.uint8()
        seconds = try reader.uint8()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append([hours, minutes, seconds])
    }
}

/// Reply to GETERRORCODE 0x9C: 24 bits.
package struct ErrorCodeReply: ReplyValue {
    /// Below 2^24.
    package var code: UInt32

    package init(_ code: UInt32) {
        self.code = code
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        code = try reader.uint24(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint24(code, order)
    }
}

/// Reply to GETUSERINFO 0xAB: fixed at 175 lb on a PM5.
package struct UserInfoReply: ReplyValue {
    /// 175 lb, whoever rows.
    package var weight: UnitValue<UInt16>
    /// Years.
    package var age: UInt8
    /// Code not documented.
    package var gender: UInt8

    package init(weight: UnitValue<UInt16>, age: UInt8, gender: UInt8) {
        self.weight = weight
        self.age = age
        self.gender = gender
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        weight = try UnitValue(decoding: &reader, order: order)
        age = try reader.uint8()
        gender = try reader.uint8()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        weight.encode(into: &writer, order: order)
        writer.append([age, gender])
    }
}

/// Reply to GETCAPS 0x70 with capability 0.
package struct CapabilitiesReply: ReplyValue {
    /// Longest frame that the monitor takes.
    package var maximumReceiveBytes: UInt8
    /// Longest frame that it sends.
    package var maximumSendBytes: UInt8
    /// Between two frames; unit not documented.
    package var minimumFrameGap: UInt8

    package init(maximumReceiveBytes: UInt8, maximumSendBytes: UInt8, minimumFrameGap: UInt8) {
        self.maximumReceiveBytes = maximumReceiveBytes
        self.maximumSendBytes = maximumSendBytes
        self.minimumFrameGap = minimumFrameGap
    }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        maximumReceiveBytes = try reader.uint8()
        maximumSendBytes = try reader.uint8()
        minimumFrameGap = try reader.uint8()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append([maximumReceiveBytes, maximumSendBytes, minimumFrameGap])
    }
}
