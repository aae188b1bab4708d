import Glibc

/// Finds and reads the files of a configuration: `rowgate.toml`, then `conf.d/*.toml` in its folder.
package enum ConfigurationFolder {
    /// In bytes. A larger file is probably not a configuration.
    static let maximumFileSize = 256 * 1024
    static let maximumFileCount = 100

    /// Returns the paths in merge order: the main file, then the drop-ins by name. `conf.d` is optional.
    package static func files(mainFile: String) throws(ConfigurationProblem) -> [String] {
        let folder = directory(of: mainFile) + "conf.d"
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [mainFile] }
            throw unreadable(folder)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
        }
        guard names.count <= maximumFileCount else {
            throw ConfigurationProblem(
                at: ConfigurationPlace(file: folder),
                "holds \(names.count) files, more than \(maximumFileCount)")
        }
        return [mainFile] + names.sorted().map { "\(folder)/\($0)" }
    }

    /// Reads a file.
    package static func contents(of path: String) throws(ConfigurationProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { return contents }
            if count < 0 {
                if errno == EINTR { continue }
                throw unreadable(path)
            }
            contents += chunk[..<count]
            guard contents.count <= maximumFileSize else {
                throw ConfigurationProblem(
                    at: ConfigurationPlace(file: path),
                    "is larger than \(maximumFileSize / 1024) KiB")
            }
        }
    }

    /// The path up to and including the last slash; empty if there is none.
    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[...slash])
    }

    private static func unreadable(_ path: String) -> ConfigurationProblem {
        let code = errno
        let advice: String? =
            switch code {
            case ENOENT, ENOTDIR: "put it there, or give the right path"
            case EACCES: "make it readable to the user that rowgate runs as"
            case EISDIR: "give the path of a file in it"
            default: nil
            }
        return ConfigurationProblem(
            at: ConfigurationPlace(file: path),
            "cannot be read: \(String(cString: strerror(code)))",
            suggestion: advice)
    }
}
