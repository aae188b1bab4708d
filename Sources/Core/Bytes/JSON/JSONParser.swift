/// A strict recursive-descent parser of RFC 8259, for texts of one line.
struct JSONParser {
    /// Recorded lines have a depth of three; the limit protects the stack.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses the single value of the text.
    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw error(.surplus) }
        return value
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error(.depth) }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .list(try list(depth: depth))
        case UInt8(ascii: "\""): return .text(try text())
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte):
            return .number(try number())
        default: break
        }
        if scan("true") { return .flag(true) }
        if scan("false") { return .flag(false) }
        if scan("null") { return .null }
        throw error(.noValue)
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
        position += 1
        var members: [JSONObject.Member] = []
        skipSpace()
        if scan(byte: UInt8(ascii: "}")) { return JSONObject(members: members) }
        // A stroke has about two dozen members.
        members.reserveCapacity(depth == 0 ? 24 : 4)
        repeat {
            members.append(try member(depth: depth))
        } while scan(byte: UInt8(ascii: ","))
        guard scan(byte: UInt8(ascii: "}")) else { throw error(.noSeparator) }
        return JSONObject(members: members)
    }

    private mutating func member(depth: Int) throws(JSONSyntaxError) -> JSONObject.Member {
        skipSpace()
        guard peek == UInt8(ascii: "\"") else { throw error(.noName) }
        let nameStart = position
        let name = try text()
        let nameSource = bytes[nameStart..<position]
        skipSpace()
        guard scan(byte: UInt8(ascii: ":")) else { throw error(.noColon) }
        skipSpace()
        let valueStart = position
        let value = try value(depth: depth + 1)
        let valueSource = bytes[valueStart..<position]
        skipSpace()
        return JSONObject.Member(
            name: name, value: value, nameSource: nameSource, valueSource: valueSource)
    }

    private mutating func list(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if scan(byte: UInt8(ascii: "]")) { return values }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while scan(byte: UInt8(ascii: ","))
        guard scan(byte: UInt8(ascii: "]")) else { throw error(.noSeparator) }
        return values
    }

    // MARK: Texts

    private mutating func text() throws(JSONSyntaxError) -> String {
        if let text = plainText() { return text }
        let start = position
        position += 1
        var content: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw JSONSyntaxError(problem: .encoding, column: start + 1)
                }
                return text
            case UInt8(ascii: "\\"): content.append(contentsOf: try escape().utf8)
            case 0..<0x20: throw error(.control)
            default:
                content.append(byte)
                position += 1
            }
        }
        throw error(.noQuote)
    }

    /// Reads an ASCII string without escapes, the most common case. Otherwise returns nil without reading.
    private mutating func plainText() -> String? {
        let start = position + 1
        var end = start
        while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "\""):
                position = end + 1
                return String(decoding: bytes[start..<end], as: UTF8.self)
            case UInt8(ascii: "\\"), 0..<0x20, 0x80...: return nil
            default: end += 1
            }
        }
        return nil
    }

    private mutating func escape() throws(JSONSyntaxError) -> String {
        let simple: [(escape: StaticString, character: String)] = [
            (#"\""#, "\""), (#"\\"#, "\\"), (#"\/"#, "/"), (#"\b"#, "\u{8}"), (#"\f"#, "\u{C}"),
            (#"\n"#, "\n"), (#"\r"#, "\r"), (#"\t"#, "\t"),
        ]
        for (escape, character) in simple where scan(escape) { return character }
        guard let unit = codeUnit() else { throw error(.escape) }
        guard UTF16.isLeadSurrogate(unit) else { return String(decoding: [unit], as: UTF16.self) }
        let behindLead = position
        guard let trail = codeUnit(), UTF16.isTrailSurrogate(trail) else {
            position = behindLead
            return "\u{FFFD}"
        }
        return String(decoding: [unit, trail], as: UTF16.self)
    }

    /// Reads the four digits after `\u`. Returns nil without reading if they are missing.
    private mutating func codeUnit() -> UInt16? {
        let start = position
        guard scan(#"\u"#), position + 4 <= bytes.count else {
            position = start
            return nil
        }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = hexadecimalDigit(byte) else {
                position = start
                return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }

    // MARK: Numbers

    private mutating func number() throws(JSONSyntaxError) -> String {
        let start = position
        _ = scan(byte: UInt8(ascii: "-"))
        if !scan(byte: UInt8(ascii: "0")) { try digits() }
        if scan(byte: UInt8(ascii: ".")) { try digits() }
        if scan(byte: UInt8(ascii: "e")) || scan(byte: UInt8(ascii: "E")) {
            if !scan(byte: UInt8(ascii: "+")) { _ = scan(byte: UInt8(ascii: "-")) }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while let byte = peek, isDigit(byte) { position += 1 }
        guard position > start else { throw error(.number) }
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func scan(byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func scan(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            guard bytes[position...].starts(with: word) else { return false }
            position += word.count
            return true
        }
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D {
            position += 1
        }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private func error(_ problem: JSONSyntaxError.Problem) -> JSONSyntaxError {
        JSONSyntaxError(problem: problem, column: position + 1)
    }
}

/// The value of a hexadecimal digit, upper or lower case.
package func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

extension JSONValue {
    /// Parses a whole JSON text; white space around it is allowed.
    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes)
        self = try parser.document()
    }
}
