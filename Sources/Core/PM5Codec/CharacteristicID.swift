/// The 16-bit part of a Concept2 UUID, which identifies a service or a characteristic.
///
/// Source: Concept2 BLE definition rev 1.30, attribute tables; 0x0043 is undocumented.
package struct CharacteristicID: RawRepresentable, Hashable, Sendable {
    /// The four variable digits of the UUID: 0x0031 of CE060031-...
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

extension CharacteristicID {
    /// The characteristic whose payload is in `value`. 0x0080 contains those of others below 0x100, after
    /// an identifier byte.
    package func carried(in value: UnsafeRawBufferPointer) -> CharacteristicID {
        self == .multiplexed ? Self(rawValue: UInt16(value.first ?? 0)) : self
    }

    // Device information service; strings and numbers are in `DeviceInformation`.
    /// Newer firmware, as `ergMachineType`.
    package static let modelNumber = Self(rawValue: 0x11)
    /// Nine ASCII digits.
    package static let serialNumber = Self(rawValue: 0x12)
    /// Three ASCII digits, `340` or `634`.
    package static let hardwareRevision = Self(rawValue: 0x13)
    /// Up to 20 characters, `8200-000320-020.000`; the last part is the commonly used version.
    package static let firmwareRevision = Self(rawValue: 0x14)
    /// `Concept2`.
    package static let manufacturerName = Self(rawValue: 0x15)
    /// One byte, an `ErgMachineType`; firmware V150 to 199 and from V204 on.
    package static let ergMachineType = Self(rawValue: 0x16)
    /// Bytes of the largest attribute transfer, 23 to 512; newer firmware.
    package static let attributeTransferUnit = Self(rawValue: 0x17)
    /// Bytes of the largest link-layer packet, 27 to 251; newer firmware.
    package static let linkLayerDataLength = Self(rawValue: 0x18)

    // Control service.
    /// Host to monitor: CSAFE frames in pieces of at most 20 bytes.
    package static let csafeIn = Self(rawValue: 0x21)
    /// Monitor to host, by notification.
    package static let csafeOut = Self(rawValue: 0x22)

    // Rowing service; each is documented at the payload type of the same name.
    /// By timer: time, distance and state of the piece. Its absence means that link or monitor is lost.
    package static let generalStatus = Self(rawValue: 0x31)
    /// By timer: speed, rate, heart rate, rest.
    package static let additionalStatus1 = Self(rawValue: 0x32)
    /// By timer: calories, power, the current split.
    package static let additionalStatus2 = Self(rawValue: 0x33)
    /// Read and written: the period of the timed values. Lost with the connection.
    package static let sampleRate = Self(rawValue: 0x34)
    /// Twice per stroke: at the end of the drive and of the recovery.
    package static let strokeData = Self(rawValue: 0x35)
    /// Once per stroke, at the end of the drive: its power.
    package static let additionalStrokeData = Self(rawValue: 0x36)
    /// At the end of a split, or of an interval and its rest.
    package static let splitData = Self(rawValue: 0x37)
    /// Within milliseconds of `splitData`.
    package static let additionalSplitData = Self(rawValue: 0x38)
    /// 1 to 3.5 s after the end, and again a minute later with the recovery heart rate.
    package static let workoutSummary = Self(rawValue: 0x39)
    /// With `workoutSummary`.
    package static let additionalWorkoutSummary = Self(rawValue: 0x3A)
    /// On change: the current belt of the monitor.
    package static let heartRateBelt = Self(rawValue: 0x3B)
    /// Exists only inside `multiplexed`.
    package static let workoutSummary2 = Self(rawValue: 0x3C)
    /// Several per stroke; not on a PM5v1, and not on some old firmware.
    package static let forceCurve = Self(rawValue: 0x3D)
    /// By timer, newer firmware: the state of the whole monitor.
    package static let additionalStatus3 = Self(rawValue: 0x3E)
    /// After the log entry is written, newer firmware: its hash.
    package static let loggedWorkout = Self(rawValue: 0x3F)
    /// Contains the payloads of characteristics that are not subscribed.
    package static let multiplexed = Self(rawValue: 0x80)

    // Heart-rate input service.
    /// Written: a heart rate that the host measured.
    package static let heartRateInput = Self(rawValue: 0x41)
    /// Second force channel of 2026 firmware; its layout is unpublished and not decoded.
    package static let secondForceChannel = Self(rawValue: 0x43)

    // Services.
    /// Only in the scan response; not an accessible service.
    package static let discovery = Self(rawValue: 0x00)
    /// Contains 0x0011 to 0x0018. Only these values and 0x0034 are valid when read.
    package static let deviceInformationService = Self(rawValue: 0x10)
    /// Contains 0x0021 and 0x0022.
    package static let controlService = Self(rawValue: 0x20)
    /// Contains 0x0031 to 0x003F, and 0x0080.
    package static let rowingService = Self(rawValue: 0x30)
    /// Contains 0x0041; newer firmware.
    package static let heartRateInputService = Self(rawValue: 0x40)
}

extension CharacteristicID: CustomStringConvertible {
    /// Hexadecimal with the prefix, at least two digits: `0x31`, `0x0131`.
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        let width = rawValue > 0xFF ? 4 : 2
        return "0x" + String(repeating: "0", count: width - digits.count) + digits
    }
}
