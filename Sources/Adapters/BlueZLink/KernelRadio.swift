import CBluetooth
import Glibc

/// The kernel's view of an adapter, independent of bluetoothd.
///
/// Read-only ioctls that need no capability. The values include links of other programs and of
/// killed clients.
package struct KernelRadio: Equatable, Sendable {
    /// Number of links of any kind; nil if unknown.
    package var links: Int?
    /// Bytes since the adapter came up, as `hciconfig` shows them.
    package var bytesReceived: UInt32
    package var bytesSent: UInt32

    /// Errors in both directions.
    package var errors: Int

    /// By adapter address in upper case; nil if the kernel has no Bluetooth.
    static func all() -> [String: KernelRadio]? {
        let handle = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue), BTPROTO_HCI)
        guard handle >= 0 else { return nil }
        defer { close(handle) }
        var numbers = [UInt16](repeating: 0, count: Int(HCI_MAX_DEV))
        let found = rg_hci_devices(handle, &numbers, Int32(numbers.count))
        guard found >= 0 else { return nil }
        var radios: [String: KernelRadio] = [:]
        for number in numbers.prefix(Int(found)) {
            var description = hci_dev_info()
            guard rg_hci_describe(handle, number, &description) >= 0 else { continue }
            let links = rg_hci_link_count(handle, number)
            let counters = description.stat
            radios[address(&description.bdaddr)] = KernelRadio(
                links: links >= 0 ? Int(links) : nil, bytesReceived: counters.byte_rx,
                bytesSent: counters.byte_tx,
                errors: Int(counters.err_rx) + Int(counters.err_tx))
        }
        return radios
    }

    private static func address(_ address: inout bdaddr_t) -> String {
        var text = [CChar](repeating: 0, count: 18)
        ba2str(&address, &text)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).uppercased()
    }
}
