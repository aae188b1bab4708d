import PM5Codec
import Relay
import SDBus

/// The objects that a relay exports for bluetoothd: services and characteristics below one root, and the
/// advertisement.
struct RelayObjects: Sendable {
    /// `/org/rowgate/relay1`.
    let root: String
    /// Characteristics by path.
    private(set) var characteristics: [String: RelayTable.Characteristic] = [:]
    private(set) var tree: BusObjectTree = [:]

    /// bluetoothd gives handles to client configurations in the order of the objects, so paths sort like handles.
    init(root: String, _ table: RelayTable?) {
        self.root = root
        for service in table?.services ?? [] {
            let servicePath = "\(root)/service\(Self.digits(service.handle))"
            tree[servicePath] = [
                BlueZName.service1: [
                    "UUID": .string(service.uuid), "Primary": .boolean(true),
                    "Includes": .array([], of: "o"), "Handle": .uint16(service.handle),
                ]
            ]
            for characteristic in service.characteristics {
                let path = "\(servicePath)/char\(Self.digits(characteristic.handle))"
                characteristics[path] = characteristic
                tree[path] = [
                    BlueZName.characteristic: Self.properties(of: characteristic, servicePath)
                ]
            }
        }
    }

    private static func properties(
        of characteristic: RelayTable.Characteristic, _ service: String
    ) -> BusProperties {
        var properties: BusProperties = [
            "UUID": .string(characteristic.uuid), "Service": .objectPath(service),
            "Flags": .array(characteristic.flags.map { .string($0) }, of: "s"),
            "Handle": .uint16(characteristic.handle),
        ]
        // The property makes bluetoothd use AcquireNotify.
        if characteristic.notifies { properties["NotifyAcquired"] = .boolean(false) }
        return properties
    }

    private static func digits(_ handle: UInt16) -> String {
        let digits = String(handle, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    // MARK: - Advertisement

    var advertisementPath: String { root + "/advertisement" }

    /// The advertisement of a monitor, as a PM5 divides it: flags, service, fitness machine and power in 31
    /// bytes, the name in the scan response.
    ///
    /// bluetoothd moves the name there by itself. It uses the scan response properties, and before 5.77 the
    /// intervals, only with its option for experimental interfaces.
    static func advertisement(of monitor: RelayMachine.Monitor) -> BusProperties {
        var properties: BusProperties = [
            "Type": .string("peripheral"), "Discoverable": .boolean(true),
            "LocalName": .string(monitor.advertisedName),
            "ServiceUUIDs": .array([.string(PM5UUID.text(.discovery))], of: "s"),
            "Includes": .array([.string("tx-power")], of: "s"),
            // Milliseconds. The kernel's own 1.28 s make phones search for half a minute.
            "MinInterval": .uint32(100), "MaxInterval": .uint32(150),
            "ScanResponseManufacturerData": .numberedDictionary([
                RelayMarker.company: .bytes(RelayMarker.bytes)
            ]),
        ]
        if monitor.table.hasFitnessMachine {
            // Available, rower (Fitness Machine Service 1.0, 3.1).
            properties["ServiceData"] = .dictionary([
                FitnessMachineValues.serviceUUID: .bytes([0x01, 0x10, 0x00])
            ])
            properties["ScanResponseServiceUUIDs"] = .array(
                [.string(FitnessMachineValues.serviceUUID)], of: "s")
        }
        return properties
    }
}

/// Marks the advertisement of a relay, so that no gateway takes it for a monitor.
enum RelayMarker {
    /// The number that the Bluetooth SIG leaves to tests; rowgate has none of its own.
    static let company: UInt16 = 0xFFFF
    /// `RG`.
    static let bytes: [UInt8] = [0x52, 0x47]

    static func isIn(_ properties: BusProperties) -> Bool {
        guard case .numberedDictionary(let data)? = properties["ManufacturerData"] else { return false }
        return data[company]?.bytes == bytes
    }
}
