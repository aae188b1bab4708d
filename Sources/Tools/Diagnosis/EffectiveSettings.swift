/// The daemon's configuration as `rowgate --print-config` shows it.
///
/// The daemon's program parses the files, so that there is only one parser.
struct EffectiveSettings: Equatable, Sendable {
    /// By section and key, `broker.host`; the values as TOML writes them.
    private var values: [String: String] = [:]
    private(set) var ergs = 0

    /// Reads lines `key = value  # origin` below `[section]` headers.
    init(printed text: String) {
        var section = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") {
                section = String(line.drop { $0 == "[" }.prefix { $0 != "]" })
                if section == "erg" { ergs += 1 }
            } else if !line.hasPrefix("#"), let value = Self.assignment(line) {
                values[section + "." + value.key] = value.text
            }
        }
    }

    /// A string, its escapes undone; nil where the key is absent or no string.
    func text(_ key: String) -> String? {
        guard let value = values[key] else { return nil }
        var rest = value[...]
        return Self.string(&rest)
    }

    /// A list of strings; empty where the key is absent or no list.
    func texts(_ key: String) -> [String] {
        guard let value = values[key], value.first == "[" else { return [] }
        var texts: [String] = []
        var rest = value.dropFirst()
        while let text = Self.string(&rest) {
            texts.append(text)
            rest = rest.drop { $0 == "," || $0 == " " }
        }
        return texts
    }

    /// Takes a string in quotes; nil where none begins.
    private static func string(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else { return nil }
        rest = rest.dropFirst()
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            text.append(character == "\\" ? escaped(&rest) : character)
        }
        return text
    }

    /// A whole number; nil where the key is absent or no number.
    func number(_ key: String) -> Int? { values[key].flatMap(Int.init) }
    /// Whether the key is `true`; absent is false.
    func flag(_ key: String) -> Bool { values[key] == "true" }

    private static func assignment(_ line: Substring) -> (key: String, text: String)? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let key = line[..<equals].filter { $0 != " " }
        var value = line[line.index(after: equals)...].drop { $0 == " " }
        // The origin, a comment, is behind the last two spaces and a "#".
        if let comment = value.indices.last(where: { value[$0...].hasPrefix("  # ") }) {
            value = value[..<comment]
        }
        return (String(key), String(value))
    }

    /// Parses the character after a backslash, in the escapes that the daemon writes.
    private static func escaped(_ rest: inout Substring) -> Character {
        guard let character = rest.popFirst() else { return "\\" }
        guard character == "u" else { return character }
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map(Character.init) ?? "?"
    }
}
