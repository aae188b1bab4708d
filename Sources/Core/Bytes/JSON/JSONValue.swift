/// A parsed JSON value. Numbers stay text, so that they are not rounded.
package enum JSONValue: Equatable, Sendable {
    case null
    case flag(Bool)
    /// As written: `-1.50e3`.
    case number(String)
    case text(String)
    case list([JSONValue])
    case object(JSONObject)
}

/// A JSON object with its members in their original order.
package struct JSONObject: Equatable, Sendable {
    /// A name and its value. Repeated names are stored as separate members.
    package struct Member: Equatable, Sendable {
        /// The name without escapes.
        package let name: String
        /// The parsed value.
        package let value: JSONValue
        /// The original text of the name, with quotes and escapes.
        package let nameSource: ArraySlice<UInt8>
        /// The original text of the value.
        package let valueSource: ArraySlice<UInt8>
    }

    /// `{}`
    package static let empty = JSONObject(members: [])

    /// In their original order.
    package let members: [Member]

    /// The value of `name`; for a repeated name the last one, as in most parsers.
    package subscript(name: String) -> JSONValue? {
        members.last { $0.name == name }?.value
    }
}

extension JSONObject {
    /// Parses a JSON text; returns nil if it is not an object.
    package init?(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        guard case .object(let object) = try JSONValue(parsing: bytes) else { return nil }
        self = object
    }

    package func text(_ name: String) -> String? {
        if case .text(let text)? = self[name] { text } else { nil }
    }

    /// A whole number below 2^53, which every JSON parser represents exactly; nil for any other value.
    package func number(_ name: String) -> UInt64? {
        guard case .number(let digits)? = self[name], let number = UInt64(digits) else {
            return nil
        }
        return number < 1 << 53 ? number : nil
    }

    /// Any number, with the precision of a Double.
    package func decimal(_ name: String) -> Double? {
        if case .number(let digits)? = self[name] { Double(digits) } else { nil }
    }

    /// First and last number of a range; nil if a number is missing or the range is invalid.
    package func range(_ first: String, _ last: String) -> ClosedRange<UInt64>? {
        guard let first = number(first), let last = number(last), first > 0, first <= last else {
            return nil
        }
        return first...last
    }
}

/// Why a text is not valid JSON, and where.
package struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    /// The kind of syntax error, with its message.
    package enum Problem: String, Sendable {
        case noValue = "expected a value"
        case noName = "expected a name in quotes"
        case noColon = "expected ':'"
        case noSeparator = "expected ',' or the closing bracket"
        case noQuote = "missing closing quote"
        case control = "control character in a string"
        case escape = "invalid escape"
        case encoding = "not UTF-8"
        case number = "not a number"
        case surplus = "unexpected text after the value"
        case depth = "nested too deeply"
    }

    /// The kind of error.
    package let problem: Problem
    /// 1-based, in bytes.
    package let column: Int

    package var description: String { "\(problem.rawValue) at column \(column)" }
}
