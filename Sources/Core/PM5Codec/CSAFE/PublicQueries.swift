import Bytes

// Public commands of the CSAFE definition rev 0.25 that return a value.

extension Query<UInt8> {
    /// Always 0, metric.
    package static var units: Self { Self(0x93) }
    /// 1/min.
    package static var currentHeartRate: Self { Self(0xB0) }
}

extension Query<UInt16> {
    /// Total calories.
    package static var calories: Self { Self(0xA3) }
}

extension Query<StatusByte> {
    /// Over Bluetooth the reply is only the status byte, `Response.status`; text of the PM3 era echoes the
    /// ID.
    package static var status: Self { Self(0x80) }
}

extension Query<VersionReply> {
    /// 0x91: the kind of monitor.
    package static var version: Self { Self(0x91) }
}

extension Query<String> {
    /// Five digits.
    package static var userID: Self { Self(0x92) }
    /// Nine digits.
    package static var serial: Self { Self(0x94) }
}

extension Query<UnitValue<UInt32>> {
    /// 0x9B: metres over the monitor's life.
    package static var odometer: Self { Self(0x9B) }
}

extension Query<UnitValue<UInt16>> {
    /// Metres.
    package static var horizontal: Self { Self(0xA1) }
    /// Seconds per kilometre; see `paceCentisecondsPer500m`.
    package static var pace: Self { Self(0xA6) }
    /// 1/min.
    package static var cadence: Self { Self(0xA7) }
    /// Watts.
    package static var power: Self { Self(0xB4) }
}

extension Query<ErrorCodeReply> {
    /// 0x9C: the last error; codes not published.
    package static var errorCode: Self { Self(0x9C) }
}

extension Query<WorkTimeReply> {
    /// 0xA0: time of the piece, in whole seconds.
    package static var publicWorkTime: Self { Self(0xA0) }
}

extension Query<WorkoutNumber> {
    /// 0xA4: the current workout of the monitor's lists.
    package static var program: Self { Self(0xA4) }
}

extension Query<UserInfoReply> {
    /// 0xAB: the same for every rower.
    package static var userInfo: Self { Self(0xAB) }
}

extension Query<CapabilitiesReply> {
    /// Limits of the link: capability code 0.
    package static var linkCapabilities: Self { Self(0x70, in: nil, [0]) }
}

extension StatusByte: ReplyValue {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self.init(rawValue: try reader.uint8())
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint8(rawValue)
    }
}
