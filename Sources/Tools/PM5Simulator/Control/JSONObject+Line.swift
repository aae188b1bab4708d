import Bytes
import PM5Codec

/// A line of JSON: a request, or a value of a recording.
extension JSONObject {
    /// Returns nil for anything except an object.
    init?(line: some StringProtocol) {
        guard let object = try? JSONObject(parsing: Array(line.utf8)) else { return nil }
        self = object
    }

    func integer(_ name: String) -> Int? { decimal(name).flatMap { Int(exactly: $0) } }

    /// `true` and `false`, or 1 and 0.
    func flag(_ name: String) -> Bool? {
        if case .flag(let flag)? = self[name] { return flag }
        return integer(name).flatMap { (0...1).contains($0) ? $0 == 1 : nil }
    }

    /// Hexadecimal text, two digits a byte.
    func bytes(_ name: String) -> [UInt8]? {
        guard let digits = text(name)?.utf8.map(hexadecimalDigit), digits.count % 2 == 0,
            !digits.contains(nil)
        else { return nil }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// `35`, `0x35`.
    func characteristic(_ name: String) -> CharacteristicID? {
        guard let text = text(name) else { return nil }
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        return UInt16(digits, radix: 16).map { CharacteristicID(rawValue: $0) }
    }
}
