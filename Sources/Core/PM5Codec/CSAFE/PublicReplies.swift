import Bytes

/// Reply to GETVERSION 0x91: a PM5 is manufacturer 22, class 2, model 5.
package struct VersionReply: CompositeValue {
    /// 22 for Concept2.
    package var manufacturer: UInt8 = 22
    /// 2 on a PM5.
    package var classID: UInt8 = 2
    /// 5 on a PM5.
    package var model: UInt8 = 5
    /// 340 on the PM5 of the recording.
    package var hardware: UInt16 = 0
    /// 20 there, where 0x0014 ends in 020.000.
    package var software: UInt16 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&manufacturer)
        coder.field(&classID)
        coder.field(&model)
        coder.field(&hardware)
        coder.field(&software)
    }
}

/// A number with a unit byte, `Number` 16 or 32 bits wide.
package struct UnitValue<Number: ReplyValue & FixedWidthInteger>: CompositeValue {
    /// In `unit`. A monitor may use other units than the query expects.
    package var value: Number = 0
    /// The unit byte after the number.
    package var unit: CSAFEUnit = .meters

    package init(_ value: Number, _ unit: CSAFEUnit) {
        self.value = value
        self.unit = unit
    }

    init() {}

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&value)
        coder.field(&unit)
    }
}

extension UnitValue<UInt16> {
    /// GETPACE answers in seconds per kilometre: 249 is 2:04.5 per 500 m. Nil in other units.
    package var paceCentisecondsPer500m: UInt32? {
        unit == .secondsPerKilometer ? UInt32(value) * 50 : nil
    }
}

/// Reply to GETTWORK 0xA0: the time of the piece, in whole seconds.
package struct WorkTimeReply: CompositeValue {
    /// 0 to 9.
    package var hours: UInt8 = 0
    /// 0 to 59.
    package var minutes: UInt8 = 0
    /// 0 to 59.
    package var seconds: UInt8 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&hours)
        coder.field(&minutes)
        coder.field(&seconds)
    }
}

/// Reply to GETERRORCODE 0x9C: 24 bits.
package struct ErrorCodeReply: ReplyValue {
    /// Below 2^24.
    package var code: UInt32

    init(code: UInt32) { self.code = code }

    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        code = try reader.uint24(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint24(code, order)
    }
}

/// Reply to GETUSERINFO 0xAB: fixed at 175 lb on a PM5.
package struct UserInfoReply: CompositeValue {
    /// Always 175 lb.
    package var weight = UnitValue<UInt16>()
    /// Years.
    package var age: UInt8 = 0
    /// Code not documented.
    package var gender: UInt8 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&weight)
        coder.field(&age)
        coder.field(&gender)
    }
}

/// Reply to GETCAPS 0x70 with capability 0.
package struct CapabilitiesReply: CompositeValue {
    /// The longest frame that the monitor accepts.
    package var maximumReceiveBytes: UInt8 = 0
    /// The longest frame that the monitor sends.
    package var maximumSendBytes: UInt8 = 0
    /// Minimum time between two frames; unit not documented.
    package var minimumFrameGap: UInt8 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&maximumReceiveBytes)
        coder.field(&maximumSendBytes)
        coder.field(&minimumFrameGap)
    }
}
