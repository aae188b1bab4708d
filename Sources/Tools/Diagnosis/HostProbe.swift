import Glibc
import HostRuntime

/// Reads what the kernel says of the machine.
package struct HostProbe: Sendable {
    /// Put before /sys, /proc and /etc, so that tests can lay out a machine in a folder.
    let root: String

    package init(root: String = "") { self.root = root }

    package func clock() -> ClockFacts {
        ClockFacts(
            isSynchronized: SystemClock.isSynchronized(),
            hasHardwareClock: !SmallFile.names(in: root + "/sys/class/rtc").isEmpty)
    }

    // MARK: - Radios

    /// By software or by a switch.
    func isBlocked(_ adapter: String) -> Bool {
        RadioBlock.isBlocked(adapter, in: root + "/sys/class/rfkill")
    }

    /// An adapter that hangs on no USB port: on a UART or SDIO, as a Pi's own does.
    func isOnboard(_ adapter: String) -> Bool {
        let path = SmallFile.resolved("\(root)/sys/class/bluetooth/\(adapter)")
        return path.map { !$0.contains("/usb") } ?? false
    }

    /// Wi-Fi stations that are in use, with their frequency (wireless extensions, SIOCGIWFREQ).
    package func wireless() -> [WirelessFacts] {
        let table = SmallFile.text(root + "/proc/net/wireless") ?? ""
        return table.split(separator: "\n").dropFirst(2).compactMap { line in
            let name = line.prefix { $0 != ":" }.filter { $0 != " " }
            return Self.megahertz(of: name).map {
                WirelessFacts(interface: name, megahertz: $0)
            }
        }
    }

    private static func megahertz(of interface: String) -> Int? {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        // struct iwreq of linux/wireless.h: 16 bytes of name, then struct iw_freq: a mantissa of
        // 32 bits and an exponent of 16, in hertz.
        var request = [UInt8](repeating: 0, count: 32)
        for (index, byte) in interface.utf8.prefix(15).enumerated() { request[index] = byte }
        let frequency: UInt = 0x8B05
        let answer = request.withUnsafeMutableBytes { ioctl(socket, frequency, $0.baseAddress!) }
        guard answer == 0 else { return nil }
        return request.withUnsafeBytes { bytes in
            let mantissa = bytes.loadUnaligned(fromByteOffset: 16, as: Int32.self)
            let exponent = bytes.loadUnaligned(fromByteOffset: 20, as: Int16.self)
            return wholeMegahertz(mantissa: Int(mantissa), exponent: Int(exponent))
        }
    }

    /// nil for what is a channel number, or no frequency at all.
    static func wholeMegahertz(mantissa: Int, exponent: Int) -> Int? {
        guard mantissa > 0, (0...9).contains(exponent) else { return nil }
        let hertz = (0..<exponent).reduce(mantissa) { value, _ in value * 10 }
        return hertz < 1_000_000 ? nil : hertz / 1_000_000
    }
}
