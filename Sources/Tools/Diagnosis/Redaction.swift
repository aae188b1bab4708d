import Bytes

/// Removes secrets from a text, and data of athletes unless requested otherwise.
struct Redaction: Sendable {
    static let mark = "(removed)"

    /// Name parts of values that identify an athlete, in JSON, TOML and journal lines.
    private static let ofAthletes = ["athlete", "heart_rate", "rower"]
    private static let ofSecrets = ["username", "password", "client_id", "secret", "token"]

    private let names: [String]
    private let literals: [String]

    /// - Parameter literals: texts to remove wherever they are: passwords that could be read.
    init(includesAthletes: Bool, literals: [String] = []) {
        names = Self.ofSecrets + (includesAthletes ? [] : Self.ofAthletes)
        self.literals = literals.filter { !$0.isEmpty }
    }

    /// The text without the literals, and without the values of such names; the rest is unchanged.
    func apply(to text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { apply(toLine: withoutLiterals(String($0))) }.joined(separator: "\n")
    }

    private func withoutLiterals(_ line: String) -> String {
        literals.reduce(line) { line, literal in
            line.replacing(literal, with: Self.mark)
        }
    }

    /// Replaces the value behind each `name =`, `name:` or `"name":` whose name holds one of ours.
    private func apply(toLine line: String) -> String {
        var result = ""
        var rest = line[...]
        while let sign = rest.firstIndex(where: { $0 == "=" || $0 == ":" }) {
            let afterSign = rest.index(after: sign)
            let name = rest[..<sign].reversed().drop { $0 == " " || $0 == "\"" }
                .prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            let word = String(name.reversed()).lowercased()
            result += rest[..<afterSign]
            rest = rest[afterSign...]
            guard names.contains(where: word.contains) else { continue }
            let spaces = rest.prefix { $0 == " " }
            let value = Self.value(rest.dropFirst(spaces.count))
            guard !value.isEmpty else { continue }
            result += spaces + Self.marked(value)
            rest = rest[value.endIndex...]
        }
        return result + rest
    }

    /// A quoted text, or everything up to a space, comma or closing bracket. Of an object or a list
    /// nothing: the names inside speak for themselves.
    private static func value(_ text: Substring) -> Substring {
        if text.hasPrefix("{") || text.hasPrefix("[") { return text.prefix(0) }
        guard text.first == "\"" else { return text.prefix { !" ,}]".contains($0) } }
        var isEscaped = false
        var end = text.index(after: text.startIndex)
        while end < text.endIndex {
            let character = text[end]
            end = text.index(after: end)
            if character == "\"", !isEscaped { break }
            isEscaped = character == "\\" && !isEscaped
        }
        return text[..<end]
    }

    /// A quoted value stays one, so that JSON stays JSON; a number becomes null.
    private static func marked(_ value: Substring) -> String {
        if value.first == "\"" { return "\"\(mark)\"" }
        return Double(value) == nil && value != "null" ? mark : "null"
    }
}
