/// A parsed JSON value. Numbers stay text, so that none is rounded.
package enum JSONValue: Equatable, Sendable {
    case null
    case flag(Bool)
    /// As written: `-1.50e3`.
    case number(String)
    case text(String)
    case list([JSONValue])
    case object(JSONObject)
}

/// A JSON object with its members in the order written.
package struct JSONObject: Equatable, Sendable {
    /// A name and its value; of a name that repeats every one is kept.
    package struct Member: Equatable, Sendable {
        /// Its escapes undone.
        package let name: String
        /// What it stands for.
        package let value: JSONValue
        /// The name as written, quotes and escapes included.
        package let nameSource: ArraySlice<UInt8>
        /// The value as written.
        package let valueSource: ArraySlice<UInt8>
    }

    /// `{}`
    package static let empty = JSONObject(members: [])

    /// In the order of the text.
    package let members: [Member]

    /// The value of `name`; of a name that occurs twice the last one, as most readers have it.
    package subscript(name: String) -> JSONValue? {
        members.last { $0.name == name }?.value
    }
}

extension JSONObject {
    /// The object that a whole JSON text is; nil when it is another value.
    package init?(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        guard case .object(let object) = try JSONValue(parsing: bytes) else { return nil }
        self = object
    }

    package func text(_ name: String) -> String? {
        if case .text(let text)? = self[name] { text } else { nil }
    }

    /// A whole number below 2^53, the last that every JSON reader has exactly; nil for any other.
    package func number(_ name: String) -> UInt64? {
        guard case .number(let digits)? = self[name], let number = UInt64(digits) else {
            return nil
        }
        return number < 1 << 53 ? number : nil
    }

    /// Any number, to the precision of a Double.
    package func decimal(_ name: String) -> Double? {
        if case .number(let digits)? = self[name] { Double(digits) } else { nil }
    }

    /// First and last of a range of numbers; nil unless there is one.
    package func range(_ first: String, _ last: String) -> ClosedRange<UInt64>? {
        guard let first = number(first), let last = number(last), first > 0, first <= last else {
            return nil
        }
        return first...last
    }
}

/// Why a text is not JSON, and where.
package struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    /// What is wrong with a text, in words.
    package enum Problem: String, Sendable {
        case noValue = "expected a value"
        case noName = "expected a name in quotes"
        case noColon = "expected ':'"
        case noSeparator = "expected ',' or the closing bracket"
        case noQuote = "the text has no closing quote"
        case control = "a control character inside a text"
        case escape = "no such escape"
        case encoding = "the text is not UTF-8"
        case number = "not a number"
        case surplus = "something follows the value"
        case depth = "nested too deeply"
    }

    /// What is wrong there.
    package let problem: Problem
    /// 1-based, in bytes.
    package let column: Int

    package var description: String { "\(problem.rawValue) at column \(column)" }
}
