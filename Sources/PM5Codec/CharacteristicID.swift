/// The 16-bit part of a Concept2 UUID: names a service or a characteristic.
///
/// Source: Concept2 BLE definition rev 1.30, attribute tables; 0x0043 is undocumented.
package struct CharacteristicID: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

extension CharacteristicID {
    // Device information service; texts and numbers in `DeviceInformation`.
    /// Newer firmware, as `ergMachineType`.
    package static let modelNumber = Self(rawValue: 0x11)
    package static let serialNumber = Self(rawValue: 0x12)
    package static let hardwareRevision = Self(rawValue: 0x13)
    package static let firmwareRevision = Self(rawValue: 0x14)
    package static let manufacturerName = Self(rawValue: 0x15)
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
    package static let generalStatus = Self(rawValue: 0x31)
    package static let additionalStatus1 = Self(rawValue: 0x32)
    package static let additionalStatus2 = Self(rawValue: 0x33)
    package static let sampleRate = Self(rawValue: 0x34)
    package static let strokeData = Self(rawValue: 0x35)
    package static let additionalStrokeData = Self(rawValue: 0x36)
    package static let splitData = Self(rawValue: 0x37)
    package static let additionalSplitData = Self(rawValue: 0x38)
    package static let workoutSummary = Self(rawValue: 0x39)
    package static let additionalWorkoutSummary = Self(rawValue: 0x3A)
    package static let heartRateBelt = Self(rawValue: 0x3B)
    /// Exists only inside `multiplexed`.
    package static let workoutSummary2 = Self(rawValue: 0x3C)
    package static let forceCurve = Self(rawValue: 0x3D)
    package static let additionalStatus3 = Self(rawValue: 0x3E)
    package static let loggedWorkout = Self(rawValue: 0x3F)
    /// Carries the payloads of characteristics whose own notification is off.
    package static let multiplexed = Self(rawValue: 0x80)

    // Heart-rate input service.
    package static let heartRateInput = Self(rawValue: 0x41)
    /// Second force channel of 2026 firmware: layout unpublished, never decoded here.
    package static let secondForceChannel = Self(rawValue: 0x43)

    // Services.
    /// Only ever seen in the scan response; not a service to open.
    package static let discovery = Self(rawValue: 0x00)
    package static let deviceInformationService = Self(rawValue: 0x10)
    package static let controlService = Self(rawValue: 0x20)
    package static let rowingService = Self(rawValue: 0x30)
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
