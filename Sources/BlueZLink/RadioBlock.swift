import Glibc

/// What rfkill says of an adapter.
///
/// BlueZ 5.65 and later say it in `PowerState`; older ones only answer that they failed.
enum RadioBlock {
    /// Whether an adapter, by its kernel name, is blocked by software or by a switch.
    ///
    /// - Parameter root: where the kernel lists its rfkill switches, each with `name`, `soft` and
    ///   `hard` (Documentation/ABI/stable/sysfs-class-rfkill).
    static func isBlocked(_ adapter: String, in root: String = "/sys/class/rfkill") -> Bool {
        guard let folder = opendir(root) else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let path = "\(root)/\(name)/"
            if text(path + "name") == adapter {
                return text(path + "soft") == "1" || text(path + "hard") == "1"
            }
        }
        return false
    }

    /// The first line of a small file; nil when it cannot be read.
    private static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self)
    }
}
