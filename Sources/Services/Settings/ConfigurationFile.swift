import CTOML

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
