/// The rfkill state of an adapter.
///
/// BlueZ 5.65 and later report it in `PowerState`; older versions only answer with a failure.
package enum RadioBlock {
    /// Whether an adapter, given by its kernel name, is blocked by software or by a switch.
    ///
    /// - Parameter root: where the kernel lists its rfkill switches, each with `name`, `soft` and
    ///   `hard` (Documentation/ABI/stable/sysfs-class-rfkill).
    package static func isBlocked(_ adapter: String, in root: String = "/sys/class/rfkill") -> Bool {
        SmallFile.names(in: root).contains { name in
            let path = "\(root)/\(name)/"
            return SmallFile.line(path + "name") == adapter
                && (SmallFile.line(path + "soft") == "1" || SmallFile.line(path + "hard") == "1")
        }
    }
}
