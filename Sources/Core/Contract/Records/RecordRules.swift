import Bytes
import Timeline

/// The contract's rules for the records of one kind: required fields and allowed values.
///
/// `RecordRules+Contract.swift` is generated from `config/schema/contract.toml`. Unknown fields may have
/// any value, because later gateways add fields. Of enumerations only the form of a value is checked,
/// because later gateways add values.
package struct RecordRules: Sendable {
    let fields: [RecordField]
    /// Bit mask of required fields, by index.
    private let required: UInt64

    init(_ fields: [RecordField]) {
        precondition(fields.count <= UInt64.bitWidth, "too many fields for the bit mask")
        self.fields = fields
        required = fields.indices.reduce(0) {
            fields[$1].isRequired ? $0 | 1 << UInt64($1) : $0
        }
    }

    /// Throws the first violation, as the end of a sentence that begins with "refused, because".
    package func check(_ record: JSONObject) throws(RecordDefect) {
        var seen: UInt64 = 0
        var next = 0
        for member in record.members {
            guard let index = index(of: member.name, from: next) else { continue }
            next = index + 1
            let bit: UInt64 = 1 << UInt64(index)
            guard seen & bit == 0 else {
                throw RecordDefect(reason: "it has \(fields[index].name) twice")
            }
            seen |= bit
            guard fields[index].form.allows(member.value) else {
                throw RecordDefect(
                    reason: "its \(fields[index].name) is not what the contract allows: "
                        + fields[index].form.ruleText)
            }
        }
        let missing = required & ~seen
        if missing != 0 {
            throw RecordDefect(reason: "it has no \(fields[missing.trailingZeroBitCount].name)")
        }
    }

    /// Finds a field. Gateways write fields in the contract's order, so the search is mostly short.
    private func index(of name: String, from start: Int) -> Int? {
        for index in start..<fields.count where fields[index].name == name { return index }
        for index in 0..<min(start, fields.count) where fields[index].name == name { return index }
        return nil
    }
}

/// The rule for one field.
struct RecordField: Sendable {
    let name: String
    let form: Form
    let isRequired: Bool

    init(_ name: String, _ form: Form, isRequired: Bool = false) {
        (self.name, self.form, self.isRequired) = (name, form, isRequired)
    }

    /// The values that a field may have.
    enum Form: Sendable {
        case integer(ClosedRange<Int64>)
        case decimal(ClosedRange<Double>)
        case flag
        /// A value of an enumeration: `[a-z0-9_]{1,64}`.
        case word
        case text(RecordTextForm)
        indirect case list(Form)
        /// An object, with the forms of its names and of its values.
        indirect case map(RecordTextForm, Form)
    }
}

extension RecordField.Form {
    func allows(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.integer(let range), .number(let digits)):
            Int64(digits).map(range.contains) ?? false
        case (.decimal(let range), .number(let digits)): Self.isNumber(digits, in: range)
        case (.flag, .flag): true
        case (.word, .text(let text)): Self.isWord(text)
        case (.text(let form), .text(let text)): form.matches(text)
        case (.list(let element), .list(let values)): values.allSatisfy(element.allows)
        case (.map(let name, let element), .object(let object)):
            object.members.allSatisfy { name.matches($0.name) && element.allows($0.value) }
        default: false
        }
    }

    /// The rule as text.
    var ruleText: String {
        switch self {
        case .integer(let range): "a whole number" + Self.rangeText(range, 1 << 53 - 1)
        case .decimal(let range):
            // The contract's limits are whole numbers.
            "a number"
                + Self.rangeText(
                    Int64(range.lowerBound)...Int64(range.upperBound), Int64(Self.greatest))
        case .flag: "true or false"
        case .word: "a word of a-z, 0-9 and _"
        case .text(let form): form.ruleText
        case .list(let element): "a list, each element \(element.ruleText)"
        case .map(_, let element): "an object, each value \(element.ruleText)"
        }
    }

    /// Upper limit of decimals without a limit in the contract.
    private static let greatest = 999_999_999_999.0

    private static func rangeText(_ range: ClosedRange<Int64>, _ greatest: Int64) -> String {
        range.upperBound == greatest
            ? ", at least \(range.lowerBound)"
            : " from \(range.lowerBound) to \(range.upperBound)"
    }

    /// Whether a number lies in a range. A short unsigned number without an exponent is not parsed.
    private static func isNumber(_ digits: String, in range: ClosedRange<Double>) -> Bool {
        if range.lowerBound <= 0, range.upperBound == greatest, digits.utf8.count <= 12 {
            let isPlain = digits.utf8.withContiguousStorageIfAvailable { bytes in
                bytes.allSatisfy { $0 == UInt8(ascii: ".") || isDigit($0) }
            }
            if isPlain == true { return true }
        }
        return Double(digits).map(range.contains) ?? false
    }

    private static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allBytes { byte in
                isDigit(byte) || isLowerCase(byte) || byte == UInt8(ascii: "_")
            }
    }
}

/// The forms of texts in records: the table `forms` of `config/schema/contract.toml`.
enum RecordTextForm: Sendable {
    case slug, name, athlete, ulid, serial, bootID, time, minute, workoutHash, sha256, adapter, stream
    /// Any text that is not empty.
    case text

    func matches(_ text: String) -> Bool {
        switch self {
        case .slug: Slug.isValid(text)
        case .name:
            (1...64).contains(text.utf8.count)
                && text.allBytes { (0x21...0x7E).contains($0) }
        case .athlete: AthleteID.isValid(text)
        case .ulid: ULID.isValid(text)
        case .serial: Self.matches(text, "ddddddddd")
        case .bootID: Self.isHexadecimal(text, count: 32)
        case .time: Self.matches(text, "dddd-dd-ddTtttttttt.dddZ")
        case .minute: Self.matches(text, "dddd-dd-ddTdd:dd")
        case .workoutHash: Self.isHexadecimal(text, count: 16)
        case .sha256: Self.isHexadecimal(text, count: 64)
        case .adapter:
            text.hasPrefix("hci") && text.utf8.count > 3
                && text.utf8.dropFirst(3).allSatisfy(isDigit)
        case .stream: Self.isStream(text)
        case .text: !text.isEmpty
        }
    }

    /// The rule as text.
    var ruleText: String {
        switch self {
        case .slug: "1 to 32 of a-z, 0-9 and -"
        case .name: "1 to 64 visible ASCII characters"
        case .athlete: AthleteID.rule
        case .ulid: "a ULID"
        case .serial: "nine digits"
        case .bootID: "32 hexadecimal digits"
        case .time: "a time such as 2026-09-05T17:04:59.120Z"
        case .minute: "a minute such as 2026-09-05T19:04"
        case .workoutHash: "16 hexadecimal digits"
        case .sha256: "64 hexadecimal digits"
        case .adapter: "an adapter's kernel name"
        case .stream: "a topic below the gateway"
        case .text: "a text that is not empty"
        }
    }

    /// - Parameter mask: `d` for a digit, `t` for a digit or a colon, any other byte for itself.
    private static func matches(_ text: String, _ mask: StaticString) -> Bool {
        mask.withUTF8Buffer { mask in
            text.utf8.count == mask.count
                && zip(text.utf8, mask).allSatisfy { byte, wanted in
                    switch wanted {
                    case UInt8(ascii: "d"): isDigit(byte)
                    case UInt8(ascii: "t"): isDigit(byte) || byte == UInt8(ascii: ":")
                    default: byte == wanted
                    }
                }
        }
    }

    private static func isHexadecimal(_ text: String, count: Int) -> Bool {
        text.utf8.count == count
            && text.allBytes { byte in
                isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }

    /// `stroke`, `erg/erg-1/stroke`, `room/rollup`, `crew/rollup`.
    private static func isStream(_ text: String) -> Bool {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let last = levels.last, !last.isEmpty, last.utf8.allSatisfy(isLowerCase) else {
            return false
        }
        return switch levels.count {
        case 1: true
        case 2: levels[0] == "room" || levels[0] == "crew"
        case 3: levels[0] == "erg" && Slug.isValid(String(levels[1]))
        default: false
        }
    }
}

extension String {
    /// Whether every byte satisfies a condition; faster than `utf8.allSatisfy` for short texts.
    fileprivate func allBytes(_ condition: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(condition) }
            ?? utf8.allSatisfy(condition)
    }
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

private func isLowerCase(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
}
