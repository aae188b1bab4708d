import PM5Codec

/// The attribute table of a monitor: services, characteristics and their handles.
struct GattLayout: Equatable, Sendable {
    /// A primary service.
    struct Service: Equatable, Sendable {
        /// 128 bits, lower case.
        let uuid: String
        /// Of its declaration.
        let handle: Int
        /// In the order of their handles.
        let characteristics: [Characteristic]
    }

    struct Characteristic: Equatable, Sendable {
        let uuid: String
        /// Nil outside Concept2's range.
        let id: CharacteristicID?
        /// As in GattCharacteristic1: `notify`, `write-without-response` and so on.
        let flags: [String]
        /// Of the declaration, as BlueZ names its objects; the value is at the next one.
        let handle: Int
        /// Of the client characteristic configuration; nil without notifications.
        let descriptorHandle: Int?
    }

    private(set) var services: [Service] = []

    /// BlueZ does not export the generic access service (0x1800), so its handles are skipped.
    static let usualFirstHandle = 0x0008

    /// The attribute table of a monitor generation.
    ///
    /// The control characteristic has two forms in the field, so monitors differ: with
    /// `commandsWithoutResponse` it supports both kinds of write and notifies; otherwise it is
    /// written with response only and indicates.
    init(
        generation: MonitorGeneration, commandsWithoutResponse: Bool,
        firstHandle: Int = usualFirstHandle
    ) {
        var handle = firstHandle
        func characteristic(_ uuid: String, _ flags: [String]) -> Characteristic {
            let subscribes = flags.contains("notify") || flags.contains("indicate")
            defer { handle += subscribes ? 3 : 2 }
            return Characteristic(
                uuid: uuid, id: PM5UUID.id(uuid), flags: flags, handle: handle,
                descriptorHandle: subscribes ? handle + 2 : nil)
        }
        func add(_ uuid: String, _ contents: [(String, [String])]) {
            let start = handle
            handle += 1
            let made = contents.map { characteristic($0.0, $0.1) }
            services.append(Service(uuid: uuid, handle: start, characteristics: made))
        }
        func concept2(_ id: CharacteristicID, _ flags: String...) -> (String, [String]) {
            (PM5UUID.text(id), flags)
        }
        add(Self.text(0x1801), [(Self.text(0x2A05), ["indicate"])])
        let information: [CharacteristicID] = [
            .modelNumber, .serialNumber, .hardwareRevision, .firmwareRevision, .manufacturerName,
            .ergMachineType, .attributeTransferUnit, .linkLayerDataLength,
        ]
        let identity = SimulatedIdentity(serial: "000000000", generation: generation)
        add(
            PM5UUID.text(.deviceInformationService),
            information.filter { identity.value(of: $0) != nil }.map { concept2($0, "read") })
        add(
            PM5UUID.text(.controlService),
            commandsWithoutResponse
                ? [
                    concept2(.csafeIn, "write-without-response", "write"),
                    concept2(.csafeOut, "read", "notify"),
                ]
                : [concept2(.csafeIn, "write"), concept2(.csafeOut, "read", "indicate")])
        let rowing = generation.notifying.filter { $0 != .csafeOut }
            .sorted { $0.rawValue < $1.rawValue }.map { concept2($0, "notify") }
        add(
            PM5UUID.text(.rowingService),
            rowing[..<3] + [concept2(.sampleRate, "read", "write")] + rowing[3...])
        if generation == .new {
            add(PM5UUID.text(.heartRateInputService), [concept2(.heartRateInput, "write")])
            // The standard fitness machine service, next to Concept2's: see `FitnessMachine`.
            add(
                Self.text(0x1826),
                [(Self.text(0x2ACC), ["read"]), (Self.text(0x2AD1), ["notify"])])
        }
    }

    /// A UUID of the Bluetooth base range.
    static func text(_ short: UInt16) -> String {
        "0000" + digits(Int(short)) + "-0000-1000-8000-00805f9b34fb"
    }

    /// Four hexadecimal digits, as in `service0021`.
    static func digits(_ handle: Int) -> String {
        let digits = String(handle, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// The values of the fitness machine service, as far as a phone needs them to see that it works.
enum FitnessMachine {
    static let featureUUID = GattLayout.text(0x2ACC)
    static let rowerDataUUID = GattLayout.text(0x2AD1)

    /// Empty for other characteristics.
    static func value(of uuid: String) -> [UInt8] {
        uuid == featureUUID ? [0x26, 0x56, 0, 0, 0, 0, 0, 0] : []
    }

    /// Rate, stroke count and distance (Fitness Machine Service 1.0, 4.8), the distance from a 0x0031.
    static func rowerData(_ status: [UInt8]) -> [UInt8]? {
        guard status.count >= 6 else { return nil }
        let decimeters = Int(status[3]) | Int(status[4]) << 8 | Int(status[5]) << 16
        let meters = decimeters / 10
        return [0x04, 0, 0, 0, 0] + [0, 8, 16].map { UInt8(truncatingIfNeeded: meters >> $0) }
    }
}
