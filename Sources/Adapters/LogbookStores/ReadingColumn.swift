import Bytes
import Contract
import Timeline

/// A value as a table for reading holds it.
enum ReadValue: Equatable, Sendable {
    case null
    case whole(Int64)
    case decimal(Double)
    case text(String)
    case bytes([UInt8])
}

/// One field of the contract, which is a column of the same name; what it may be.
struct ReadingColumn: Sendable {
    enum Kind: Sendable {
        /// From 0 to below 2^53.
        case whole
        /// A whole number with a sign.
        case signed
        /// Any number that a rowing machine could mean.
        case decimal
        /// 0 or 1.
        case flag
        case ulid
        /// An athlete id.
        case athlete
        /// `[a-z0-9-]{1,32}`: a crew.
        case slug
        /// A word of an enumeration, `[a-z0-9_]{1,64}`.
        case word
        /// Anything that somebody wrote, up to 1000 bytes.
        case words
        /// A list of newtons: 0.1 N each, signed, 2 bytes with the lower one first. Held within what
        /// these hold; the record has them as they were.
        case forces
        /// A number, a truth value, a list or an object that no column holds: the record has it.
        case unkept
    }

    let name: String
    let kind: Kind
    let isRequired: Bool

    init(_ name: String, _ kind: Kind, isRequired: Bool = false) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
    }

    /// The field's value; `null` where it is not there and need not be.
    func value(in fields: JSONObject) throws(RecordDefect) -> ReadValue {
        guard let found = fields[name] else {
            if isRequired { throw RecordDefect(words: "it has no \(name)") }
            return .null
        }
        guard let value = value(of: found) else {
            throw RecordDefect(words: "its \(name) is not what the contract allows")
        }
        return value
    }

    private func value(of found: JSONValue) -> ReadValue? {
        switch (kind, found) {
        case (.whole, .number(let digits)): Self.whole(digits, in: 0...Self.greatest)
        case (.signed, .number(let digits)):
            Self.whole(digits, in: -Self.greatest...Self.greatest)
        case (.decimal, .number(let digits)): Self.decimal(digits).map { .decimal($0) }
        case (.flag, .flag(let flag)): .whole(flag ? 1 : 0)
        case (.ulid, .text(let text)) where ULID.isValid(text): .text(text)
        case (.athlete, .text(let text)) where AthleteID.isValid(text): .text(text)
        case (.slug, .text(let text)) where Slug.isValid(text): .text(text)
        case (.word, .text(let text)) where Self.isWord(text): .text(text)
        case (.words, .text(let text)) where text.utf8.count <= 1000: .text(text)
        case (.forces, .list(let points)): Self.forces(points).map { .bytes($0) }
        case (.unkept, .list), (.unkept, .object), (.unkept, .number), (.unkept, .flag):
            ReadValue.null
        default: nil
        }
    }

    /// The last whole number that every reader of JSON has exactly.
    private static let greatest: Int64 = 1 << 53 - 1

    private static func whole(_ digits: String, in range: ClosedRange<Int64>) -> ReadValue? {
        Int64(digits).flatMap { range.contains($0) ? .whole($0) : nil }
    }

    private static func decimal(_ digits: String) -> Double? {
        Double(digits).flatMap { $0.magnitude < 1e12 ? $0 : nil }
    }

    private static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "_")
            }
    }

    private static func forces(_ points: [JSONValue]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for point in points {
            guard case .number(let digits) = point, let newtons = decimal(digits) else {
                return nil
            }
            let units = (newtons * 10).rounded()
            let limited = Int16(max(Double(Int16.min), min(Double(Int16.max), units)))
            bytes.append(UInt8(truncatingIfNeeded: limited))
            bytes.append(UInt8(truncatingIfNeeded: limited >> 8))
        }
        return bytes
    }
}
