import Foundation
import PM5Codec
import Testing

/// One line of a vector file: bytes of another source, and the values that independent decoders read.
struct Vector: @unchecked Sendable, CustomTestStringConvertible {
    // @unchecked: the JSON object never changes after it was read.
    private let line: [String: Any]

    let id: String
    let bytes: [UInt8]
    let characteristic: String
    let expect: [String: Any]

    init(line: [String: Any]) throws {
        self.line = line
        id = try #require(line["id"] as? String)
        let hex = try #require(line["hex"] as? String)
        bytes = try #require(hexBytes(hex), "hex of \(id)")
        characteristic = try #require(line["characteristic"] as? String)
        expect = try #require(line["expect"] as? [String: Any])
        try #require(line["provenance"] is String, "\(id) does not say where it is from")
        try #require(line["evidence"] is String, "\(id) does not say what it proves")
    }

    var testDescription: String { id }

    /// The requests of an exchange.
    var requests: [[UInt8]] {
        get throws {
            try (line["tx"] as? [String] ?? []).map { try #require(hexBytes($0)) }
        }
    }

    /// Fields whose expected value comes from a single decoder.
    var singleSourceFields: Set<String> { Set(line["single_source_fields"] as? [String] ?? []) }

    static func all(in file: String) throws -> [Vector] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(
            contentsOf: folder.appending(path: "Vectors/\(file)"), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try Vector(line: try #require(object as? [String: Any]))
        }
    }
}

/// Returns nil if `text` is not a whole number of hexadecimal bytes; spaces are allowed.
func hexBytes(_ text: String) -> [UInt8]? {
    let digits = text.filter { $0 != " " }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var rest = Substring(digits)
    while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return bytes
}

extension FieldValue {
    /// Whether the value equals the expected one: numbers within half a count of the last decimal.
    func agrees(with expected: Any) -> Bool {
        switch self {
        case .null: return expected is NSNull
        case .flag(let flag): return expected as? Bool == flag
        case .text(let text): return expected as? String == text
        case .number(let count, let decimals):
            guard let number = expected as? NSNumber else { return false }
            var unit = 1.0
            for _ in 0..<decimals { unit *= 10 }
            return abs(number.doubleValue * unit - Double(count)) <= 0.5
        case .list(let values):
            guard let list = expected as? [Any], list.count == values.count else { return false }
            return zip(values, list).allSatisfy { $0.agrees(with: $1) }
        case .object(let fields):
            guard let object = expected as? [String: Any] else { return false }
            return disagreements(fields, object).isEmpty
        }
    }
}

/// Describes the differences between `expected` and `fields`.
func disagreements(_ fields: [Field], _ expected: [String: Any]) -> [String] {
    expected.sorted { $0.key < $1.key }.compactMap { name, value in
        guard let field = fields.first(where: { $0.name == name }) else {
            return "\(name): missing, expected \(value)"
        }
        return field.value.agrees(with: value)
            ? nil : "\(name): \(field.value.json), expected \(value)"
    }
}
