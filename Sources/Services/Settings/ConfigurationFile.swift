import CTOML
import Glibc

/// One parsed configuration file.
package struct ConfigurationFile: Equatable, Sendable {
    package var path: String
    package var table: ConfigurationTable

    /// Parses TOML 1.0 text. `path` is only used in messages.
    package init(parsing text: [UInt8], path: String) throws(ConfigurationProblem) {
        self.path = path
        table = try Self.parse(text, path: path)
    }

    private static func parse(
        _ text: [UInt8], path: String
    ) throws(ConfigurationProblem) -> ConfigurationTable {
        let document = text.withUnsafeBytes { bytes in
            ctoml_parse(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
        }
        guard let document else { preconditionFailure("ctoml_parse never returns NULL") }
        defer { ctoml_free(document) }
        guard ctoml_count(document) > 0 else {
            throw ConfigurationProblem(
                at: ctoml_error_position(document).place(in: path),
                "syntax error: \(ctoml_error(document).string)",
                suggestion: "see https://toml.io for the syntax")
        }
        var reader = DocumentReader(document: document, path: path)
        return reader.readTable()
    }
}

/// Reads the flat list of values, in which every container precedes its elements.
private struct DocumentReader {
    /// Valid until the caller calls `ctoml_free` after reading.
    let document: OpaquePointer
    let path: String
    var next = 0

    /// Reads the table at `next` with its contents.
    mutating func readTable() -> ConfigurationTable {
        var table = ConfigurationTable()
        readChildren { value, key in table.values[key] = value }
        return table
    }

    private mutating func readArray() -> [ConfigurationValue] {
        var elements: [ConfigurationValue] = []
        readChildren { value, _ in elements.append(value) }
        return elements
    }

    private mutating func readChildren(_ append: (ConfigurationValue, String) -> Void) {
        let container = Int64(next)
        next += 1
        while next < ctoml_count(document) {
            let raw = ctoml_value_at(document, next)
            guard raw.parent == container else { return }
            append(readValue(raw), raw.key.string)
        }
    }

    private mutating func readValue(_ raw: ctoml_value) -> ConfigurationValue {
        let place = raw.key_position.place(in: path)
        switch raw.kind {
        case CTOML_TABLE:
            return ConfigurationValue(content: .table(readTable()), place: place)
        case CTOML_ARRAY:
            return ConfigurationValue(content: .array(readArray()), place: place)
        default:
            next += 1
            return ConfigurationValue(content: raw.scalar, place: place)
        }
    }
}

extension ctoml_value {
    fileprivate var scalar: ConfigurationValue.Content {
        switch kind {
        case CTOML_STRING: .string(string.string)
        case CTOML_INTEGER: .integer(integer)
        case CTOML_FLOAT: .float(floating)
        case CTOML_BOOLEAN: .boolean(boolean != 0)
        default: .dateTime
        }
    }
}

extension ctoml_text {
    fileprivate var string: String {
        let bytes = UnsafeRawBufferPointer(start: self.bytes, count: length)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ctoml_position {
    fileprivate func place(in file: String) -> ConfigurationPlace {
        ConfigurationPlace(file: file, line: Int(line), column: Int(column))
    }
}

/// A value of a configuration file and its place.
package struct ConfigurationValue: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        /// A TOML date or time. No key of rowgate accepts one.
        case dateTime
        case array([ConfigurationValue])
        case table(ConfigurationTable)
    }

    var content: Content
    /// Place of the key; inside an array, of the value.
    var place: ConfigurationPlace

    /// The kind of value, for messages.
    var kind: String {
        switch content {
        case .string: "a text"
        case .integer: "a number"
        case .float: "a number with a fraction"
        case .boolean: "true or false"
        case .dateTime: "a date or time"
        case .array: "a list"
        case .table: "a section"
        }
    }
}

/// The keys of a section.
package struct ConfigurationTable: Equatable, Sendable {
    package var values: [String: ConfigurationValue] = [:]

    package init() {}

    /// Merges `other` into this table. Its values replace ours, key by key. Lists of sections
    /// (`[[erg]]`) are concatenated, so that one file may hold one erg.
    package mutating func merge(_ other: ConfigurationTable) {
        values.merge(other.values) { earlier, later in
            switch (earlier.content, later.content) {
            case (.table(var table), .table(let addition)):
                table.merge(addition)
                return ConfigurationValue(content: .table(table), place: earlier.place)
            case (.array(let elements), .array(let additions))
            where elements.holdsSections && additions.holdsSections:
                return ConfigurationValue(
                    content: .array(elements + additions), place: earlier.place)
            default:
                return later
            }
        }
    }
}

extension [ConfigurationValue] {
    fileprivate var holdsSections: Bool {
        !isEmpty
            && allSatisfy { value in
                if case .table = value.content { true } else { false }
            }
    }
}

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

/// The text of one configuration file.
package struct ConfigurationSource: Sendable {
    /// The path, as messages show it.
    package var path: String
    package var text: [UInt8]

    package init(path: String, text: [UInt8]) {
        self.path = path
        self.text = text
    }

    /// Reads all files. Throws the problems of all unreadable files together.
    package static func read(_ paths: [String]) throws(InvalidConfiguration) -> [Self] {
        var sources: [Self] = []
        var problems: [ConfigurationProblem] = []
        for path in paths {
            do {
                sources.append(Self(path: path, text: try ConfigurationFolder.contents(of: path)))
            } catch { problems.append(error) }
        }
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        return sources
    }

    /// Parses and merges `sources`, the main file first, and reads their sections with `read`. Wrong
    /// values are replaced by their defaults and reported as problems.
    package static func merge<Value>(
        _ sources: [Self], _ read: (inout ConfigurationReader) -> Value
    ) -> (Value, problems: [ConfigurationProblem]) {
        precondition(!sources.isEmpty, "a configuration has a main file")
        var merged = ConfigurationTable()
        var syntaxErrors: [ConfigurationProblem] = []
        for source in sources {
            do {
                merged.merge(try ConfigurationFile(parsing: source.text, path: source.path).table)
            } catch { syntaxErrors.append(error) }
        }
        var reader = ConfigurationReader(merged, mainFile: sources[0].path)
        let value = read(&reader)
        var problems = reader.problems()
        if !syntaxErrors.isEmpty {
            // A missing key or section may follow the syntax error, so such problems are dropped.
            problems = syntaxErrors + problems.filter { $0.place.line > 0 }
        }
        return (value, problems)
    }
}
