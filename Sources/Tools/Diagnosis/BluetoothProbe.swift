import HostRuntime
import SDBus

/// Reads the adapters from bluetoothd.
package struct BluetoothProbe: Sendable {
    private let host: HostProbe
    private let address: String?

    /// - Parameter address: of the bus; nil for the system's.
    package init(host: HostProbe, busAddress address: String? = nil) {
        self.host = host
        self.address = address
    }

    func facts() async -> BluetoothFacts {
        let bus = BusConnection(on: SerialQueueExecutor(label: "rowgate.doctor"))
        do throws(BusError) {
            try await bus.start(address: address) { _ in }
        } catch {
            await bus.stop()
            return BluetoothFacts(
                failure: "the D-Bus system bus does not answer: \(error.message)",
                isBusMissing: true)
        }
        do throws(BusError) {
            let objects = try await bus.call(
                "org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects",
                reading: { message throws(BusError) in try message.readObjectTree() })
            await bus.stop()
            return facts(objects)
        } catch {
            await bus.stop()
            return BluetoothFacts(failure: Self.cause(error))
        }
    }

    /// The cause for users, without D-Bus names.
    private static func cause(_ error: BusError) -> String {
        let name = error.name?.split(separator: ".").last
        let isGone = ["ServiceUnknown", "NameHasNoOwner"].contains { name == $0[...] }
        return isGone ? "it is not running" : "it does not answer: \(error.message)"
    }

    private func facts(_ objects: BusObjectTree) -> BluetoothFacts {
        var facts = BluetoothFacts(options: host.bluetoothOptions())
        for (path, interfaces) in objects.sorted(by: { $0.key < $1.key }) {
            guard let properties = interfaces["org.bluez.Adapter1"] else { continue }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            facts.adapters.append(
                BluetoothFacts.Adapter(
                    name: name, address: properties["Address"]?.string ?? "",
                    isPowered: properties["Powered"]?.boolean ?? false,
                    isBlocked: properties["PowerState"]?.string == "off-blocked"
                        || host.isBlocked(name),
                    isOnboard: host.isOnboard(name)))
            facts.version = facts.version ?? properties["Modalias"]?.string.flatMap(Self.version)
        }
        return facts
    }

    /// The last four digits of BlueZ's device id are its version: `usb:v1D6Bp0246d0552` is
    /// 5.82, the halves being hexadecimal.
    static func version(modalias: String) -> String? {
        guard modalias.hasPrefix("usb:v1D6Bp0246d") else { return nil }
        let digits = modalias.dropFirst(15).prefix(4)
        guard digits.count == 4, let major = Int(digits.prefix(2), radix: 16),
            let minor = Int(digits.suffix(2), radix: 16)
        else { return nil }
        return "\(major).\(minor)"
    }
}
