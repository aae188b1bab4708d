import Glibc

/// Reads short files, such as those of /sys and /proc.
package enum SmallFile {
    /// Returns the content of a file, up to 64 KiB; nil if it cannot be read.
    ///
    /// The kernel may return lists such as /proc/locks one page at a time.
    package static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { bytes in
            var length = 0
            while length < bytes.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[length...])
                let count = read(file, rest.baseAddress, rest.count)
                guard count >= 0 else { return nil }
                if count == 0 { break }
                length += count
            }
            return String(decoding: bytes[..<length], as: UTF8.self)
        }
    }

    /// Returns the first line; nil if the file cannot be read.
    package static func line(_ path: String) -> String? {
        text(path).map { String($0.prefix { $0 != "\n" }) }
    }

    /// Returns the names in a folder, sorted; empty if it cannot be read.
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

    /// Returns the path with every symbolic link resolved; nil if the target does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}

/// Writes all of `bytes`; returns errno on failure, otherwise nil.
package func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Int32? {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            return errno
        }
    }
    return nil
}
