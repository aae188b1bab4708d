/// A JSON object without objects or arrays inside: a control request, a line of a recording.
struct FlatJSON: Equatable {
    enum Value: Equatable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case null
    }

    private(set) var members: [String: Value] = [:]

    /// Nil when the line is anything but such an object; the last of equal names counts.
    init?(_ line: String) {
        var parser = Parser(bytes: Array(line.utf8))
        guard let members = parser.object() else { return nil }
        self.members = members
    }

    func text(_ name: String) -> String? {
        if case .text(let text)? = members[name] { text } else { nil }
    }

    func number(_ name: String) -> Double? {
        if case .number(let number)? = members[name] { number } else { nil }
    }

    func integer(_ name: String) -> Int? { number(name).flatMap { Int(exactly: $0) } }

    /// `true` and `false`, or 1 and 0.
    func flag(_ name: String) -> Bool? {
        switch members[name] {
        case .flag(let flag)?: flag
        case .number(1)?: true
        case .number(0)?: false
        default: nil
        }
    }
}

private struct Parser {
    let bytes: [UInt8]
    var position = 0

    mutating func object() -> [String: FlatJSON.Value]? {
        var members: [String: FlatJSON.Value] = [:]
        guard take("{") else { return nil }
        if take("}") { return atEnd ? members : nil }
        repeat {
            guard let name = string(), take(":"), let value = value() else { return nil }
            members[name] = value
        } while take(",")
        return take("}") && atEnd ? members : nil
    }

    private mutating func value() -> FlatJSON.Value? {
        skipBlanks()
        switch peek {
        case UInt8(ascii: "\"")?: return string().map { .text($0) }
        case UInt8(ascii: "t")?: return word("true") ? .flag(true) : nil
        case UInt8(ascii: "f")?: return word("false") ? .flag(false) : nil
        case UInt8(ascii: "n")?: return word("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func number() -> FlatJSON.Value? {
        let start = position
        while let byte = peek, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
        return Double(String(decoding: bytes[start..<position], as: UTF8.self)).map { .number($0) }
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let character = escape() else { return nil }
                text += Array(String(character).utf8)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Pairs of surrogates are not joined: no name in a request needs them.
    private mutating func escape() -> Character? {
        switch next() {
        case UInt8(ascii: "n")?: return "\n"
        case UInt8(ascii: "t")?: return "\t"
        case UInt8(ascii: "r")?: return "\r"
        case UInt8(ascii: "b")?: return "\u{8}"
        case UInt8(ascii: "f")?: return "\u{C}"
        case UInt8(ascii: "u")?:
            guard position + 4 <= bytes.count else { return nil }
            let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
            position += 4
            return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map(Character.init)
        case let byte? where "\"\\/".utf8.contains(byte):
            return Character(Unicode.Scalar(byte))
        default: return nil
        }
    }

    private mutating func word(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() -> UInt8? {
        defer { position += 1 }
        return peek
    }

    private mutating func skipBlanks() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private var atEnd: Bool {
        bytes[min(position, bytes.count)...].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }
}
