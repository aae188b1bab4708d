import Glibc

/// Files of /sys and /proc, and others that are short.
package enum SmallFile {
    /// What a file holds, up to 64 KiB; nil when it cannot be read.
    package static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { bytes in
            let count = read(file, bytes.baseAddress, bytes.count)
            return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    /// The first line; nil when the file cannot be read.
    package static func line(_ path: String) -> String? {
        text(path).map { String($0.prefix { $0 != "\n" }) }
    }

    /// The names in a folder, sorted; empty when it cannot be read.
    package static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Where a path leads once every link in it is followed; nil when it leads nowhere.
    package static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}
