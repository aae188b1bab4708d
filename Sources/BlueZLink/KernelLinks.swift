import CBluetooth
import Glibc

/// What the kernel knows of Bluetooth links, beside bluetoothd.
///
/// Read-only ioctls that need no capability. Links of other programs, and those that a killed
/// client left behind, are in these figures too.
enum KernelLinks {
    /// Links that stand, by adapter address in upper case; nil where the kernel has no Bluetooth.
    static func counts() -> [String: Int]? {
        let handle = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue), BTPROTO_HCI)
        guard handle >= 0 else { return nil }
        defer { close(handle) }
        var numbers = [UInt16](repeating: 0, count: Int(HCI_MAX_DEV))
        let found = rg_hci_devices(handle, &numbers, Int32(numbers.count))
        guard found >= 0 else { return nil }
        var counts: [String: Int] = [:]
        for number in numbers.prefix(Int(found)) {
            guard let address = address(of: number) else { continue }
            let links = rg_hci_link_count(handle, number)
            if links >= 0 { counts[address] = Int(links) }
        }
        return counts
    }

    private static func address(of number: UInt16) -> String? {
        var address = bdaddr_t()
        guard hci_devba(Int32(number), &address) >= 0 else { return nil }
        var text = [CChar](repeating: 0, count: 18)
        ba2str(&address, &text)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).uppercased()
    }
}
