import Glibc

/// Bytes written to the block device below a folder by any writer, including
/// the file system's own journal.
package struct BlockDeviceCounter {
    private let path: String

    /// nil without a separate block device, as in a container's folder.
    package init?(below folder: String) {
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        // The macros major() and minor() of glibc.
        let device = UInt64(status.st_dev)
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        path = "/sys/dev/block/\(major):\(minor)/stat"
        guard access(path, R_OK) == 0 else { return nil }
    }

    /// Since the device was created. The page cache is written first.
    package func written() -> Int {
        sync()
        // Field 7 of Documentation/block/stat.rst: write sectors, of 512 bytes.
        let fields = Self.text(of: path).split(whereSeparator: \.isWhitespace)
        return fields.count > 6 ? (Int(fields[6]) ?? 0) * 512 : 0
    }

    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
