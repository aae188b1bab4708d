import PM5Codec

/// The attribute table that a relay presents to a phone: the services of one monitor, with fixed handles.
///
/// Phones store the table of an address and do not read it again reliably. Therefore a service always has the
/// same first handle, whatever else the monitor has, and a characteristic follows the one before it in the
/// order of the monitor.
package struct RelayTable: Equatable, Sendable {
    /// A service as the monitor has it.
    package struct Service: Equatable, Sendable {
        /// 128 bits, lower case.
        package let uuid: String
        /// Of its declaration.
        package let handle: UInt16
        package let characteristics: [Characteristic]
    }

    package struct Characteristic: Equatable, Sendable {
        package let uuid: String
        /// Exactly the monitor's, as GattCharacteristic1 names them. They decide how errors are reported.
        package let flags: [String]
        /// Of the value; the declaration is before it, and the client configuration after it.
        package let handle: UInt16
        /// Whether the relay makes the values (`FitnessMachineValues`); the monitor has no such characteristic.
        package let isMade: Bool
        /// nil outside Concept2's range.
        package var id: CharacteristicID? { PM5UUID.id(uuid) }

        package var notifies: Bool { flags.contains("notify") || flags.contains("indicate") }

        /// Whether the value is the same for the whole life of a link, so that it is read once.
        package var isConstant: Bool {
            if uuid == FitnessMachineValues.featureUUID { return true }
            return id.map { (0x11...0x18).contains($0.rawValue) } ?? false
        }

        /// How many bytes a write may have; longer ones are cut. nil if the monitor decides.
        ///
        /// ErgData writes eight bytes to the sample rate, which has one: a PM5 rejects them and stays at
        /// its slow rate.
        package var writeLimit: Int? {
            switch id {
            case .sampleRate: 1
            case .heartRateInput: 20
            default: nil
            }
        }
    }

    /// A service of the monitor to build a table from.
    package struct Source: Equatable, Sendable {
        package let uuid: String
        /// UUID and flags, in the order of the monitor's handles.
        package let characteristics: [(uuid: String, flags: [String])]

        package init(uuid: String, characteristics: [(uuid: String, flags: [String])]) {
            self.uuid = uuid
            self.characteristics = characteristics
        }

        package static func == (a: Self, b: Self) -> Bool {
            a.uuid == b.uuid && a.characteristics.count == b.characteristics.count
                && zip(a.characteristics, b.characteristics).allSatisfy {
                    $0.uuid == $1.uuid && $0.flags == $1.flags
                }
        }
    }

    package let services: [Service]

    /// Services that bluetoothd provides itself: generic access and generic attribute.
    private static let ofBluetoothd = [text(0x1800), text(0x1801)]

    /// The first handles of known services. bluetoothd's own services are below.
    private static let firstHandles: [String: UInt16] = [
        PM5UUID.text(.discovery): 0x00F0,
        PM5UUID.text(.deviceInformationService): 0x0100,
        PM5UUID.text(.controlService): 0x0140,
        PM5UUID.text(.rowingService): 0x0160,
        PM5UUID.text(.heartRateInputService): 0x01C0,
        FitnessMachineValues.serviceUUID: 0x01E0,
    ]
    /// Of the first unknown service.
    private static let firstUnknownHandle: UInt16 = 0x0300
    /// Handles for each unknown service.
    private static let handlesPerService: UInt16 = 0x0080

    /// Creates the table of a monitor with these services. Of two services with the same UUID the first counts.
    ///
    /// - Parameter makesFitnessMachine: adds the fitness machine service if the monitor has none.
    package init(_ sources: [Source], makesFitnessMachine: Bool = false) {
        let made = FitnessMachineValues.source
        let adds = makesFitnessMachine && !sources.contains { $0.uuid == made.uuid }
        var services: [Service] = []
        var nextUnknown = Self.firstUnknownHandle
        for source in sources + (adds ? [made] : []) where !Self.ofBluetoothd.contains(source.uuid) {
            guard !services.contains(where: { $0.uuid == source.uuid }) else { continue }
            let first = Self.firstHandles[source.uuid] ?? nextUnknown
            if Self.firstHandles[source.uuid] == nil { nextUnknown += Self.handlesPerService }
            var handle = first + 1
            let characteristics = source.characteristics.map { uuid, flags in
                let subscribes = flags.contains("notify") || flags.contains("indicate")
                defer { handle += subscribes ? 3 : 2 }
                return Characteristic(
                    uuid: uuid, flags: flags, handle: handle + 1, isMade: adds && source.uuid == made.uuid)
            }
            services.append(Service(uuid: source.uuid, handle: first, characteristics: characteristics))
        }
        self.services = services.sorted { $0.handle < $1.handle }
    }

    /// Whether the relay makes a fitness machine.
    package var makesFitnessMachine: Bool {
        services.contains { $0.characteristics.contains(where: \.isMade) }
    }
    /// Whether the phone sees a fitness machine too, the monitor's or one that the relay makes.
    package var hasFitnessMachine: Bool { services.contains { $0.uuid == FitnessMachineValues.serviceUUID } }

    /// Whether the monitor can be relayed: an app needs both.
    package var isUsable: Bool {
        [CharacteristicID.rowingService, .controlService].allSatisfy { id in
            services.contains { $0.uuid == PM5UUID.text(id) }
        }
    }

    /// A UUID of the Bluetooth base range, `00001826-0000-1000-8000-00805f9b34fb`.
    package static func text(_ short: UInt16) -> String {
        let digits = String(short, radix: 16)
        return "0000" + String(repeating: "0", count: 4 - digits.count) + digits
            + "-0000-1000-8000-00805f9b34fb"
    }
}
