import Bytes
import PM5Codec
import Testing

@Suite struct IdentityTests {
    @Test func convertsUUIDsBothWays() {
        // Known UUIDs, then all IDs in both directions.
        #expect(PM5UUID.text(.generalStatus) == "ce060031-43e5-11e4-916c-0800200c9a66")
        #expect(PM5UUID.text(.discovery) == "ce060000-43e5-11e4-916c-0800200c9a66")
        #expect(PM5UUID.id("CE060080-43E5-11E4-916C-0800200C9A66") == .multiplexed)
        for rawValue in UInt16.min...UInt16.max {
            let id = CharacteristicID(rawValue: rawValue)
            #expect(PM5UUID.id(PM5UUID.text(id)) == id)
        }
    }

    @Test(arguments: [
        "", "ce06", "0000180a-0000-1000-8000-00805f9b34fb",
        "ce06+031-43e5-11e4-916c-0800200c9a66", "ce06003g-43e5-11e4-916c-0800200c9a66",
        "ce060031-43e5-11e4-916c-0800200c9a67", "ce060031-43e5-11e4-916c-0800200c9a66 ",
        "ce0600é-43e5-11e4-916c-0800200c9a66",
    ])
    func rejectsForeignUUIDs(text: String) {
        // Similar UUIDs.
        #expect(PM5UUID.id(text) == nil)
    }

    @Test func printsIDsAsInTheDocument() {
        // Short and long IDs.
        #expect(CharacteristicID.loggedWorkout.description == "0x3F")
        #expect(CharacteristicID.discovery.description == "0x00")
        #expect(CharacteristicID(rawValue: 0x131).description == "0x0131")
    }

    @Test(
        arguments: [
            ("PM5 430070439", "430070439", nil), ("PM5 431000001 Row", "431000001", .row),
            ("PM5 431000002 Ski", "431000002", .ski), ("PM5 431000003 Bike", "431000003", .bike),
            ("PM5 431000004 Multi", "431000004", nil),
        ] as [(String, String, AdvertisedName.MachineHint?)])
    func parsesAdvertisedNames(text: String, serial: String, hint: AdvertisedName.MachineHint?) {
        // Known names, and an unknown suffix.
        let name = AdvertisedName(text)
        #expect(name?.serial == serial)
        #expect(name?.machineHint == hint)
        if text.hasSuffix("Multi") == false { #expect(name?.text == text) }
    }

    @Test(arguments: [
        "", "PM5", "PM5 ", "PM5 12345678", "PM5 1234567890", "PM3 123456789", "PM5  430070439",
        "pm5 430070439", "PM5 43007043x",
    ])
    func rejectsForeignNames(text: String) {
        // Similar names.
        #expect(AdvertisedName(text) == nil)
    }
}

@Suite struct DeviceInformationTests {
    @Test(
        arguments: [
            (.modelNumber, "PM5", 16), (.serialNumber, "430070439", 9),
            (.hardwareRevision, "634", 3),
            (.firmwareRevision, "8200-000320-020.000", 20), (.manufacturerName, "Concept2", 16),
        ] as [(CharacteristicID, String, Int)])
    func codesStrings(id: CharacteristicID, text: String, length: Int) {
        // Each characteristic with its length, and a string that is too long.
        let bytes = DeviceInformation.bytes(text, for: id)
        #expect(bytes?.count == length)
        #expect(bytes.map(DeviceInformation.text) == text)
        let tooLong = String(repeating: "9", count: length + 1)
        #expect(DeviceInformation.bytes(tooLong, for: id) == nil)
    }

    @Test func codesNumbersAndRejectsOtherIDs() throws {
        // Only text IDs have strings; numbers are little-endian.
        #expect(DeviceInformation.bytes("1", for: .ergMachineType) == nil)
        let number = try [UInt8]([0xF7, 0x00]).withReader { reader throws(DecodeError) in
            try DeviceInformation.number(decoding: &reader)
        }
        #expect(number == 247)
    }
}
