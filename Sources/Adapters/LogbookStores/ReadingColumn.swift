import Bytes
import Contract
import Timeline

/// A value in a cell of a database table.
enum SQLValue: Equatable, Sendable {
    case null
    case whole(Int64)
    case decimal(Double)
    case text(String)
    case bytes([UInt8])
}

/// A field of the contract, stored in a column with the same name, with its allowed values.
struct ReadingColumn: Sendable {
    enum Kind: Sendable {
        /// From 0 to below 2^53.
        case whole
        /// A whole number with a sign.
        case signed
        /// Any plausible number.
        case decimal
        /// 0 or 1.
        case flag
        case ulid
        /// An athlete id.
        case athlete
        /// `[a-z0-9-]{1,32}`: a crew.
        case slug
        /// A word of an enumeration, `[a-z0-9_]{1,64}`.
        case enumValue
        /// Any text of up to 1000 bytes.
        case freeText
        /// A list of forces in newtons, stored as signed 2-byte values of 0.1 N each, little endian. Values
        /// are clamped to this range; the record has the originals.
        case forces
        /// A number, truth value, word, list or object without a column; only the record contains it.
        case recordOnly
    }

    let name: String
    let kind: Kind
    let isRequired: Bool
    /// A field whose value the column has if the field itself is absent.
    let substitute: String?

    init(_ name: String, _ kind: Kind, isRequired: Bool = false, substitute: String? = nil) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
        self.substitute = substitute
    }

    /// The field's value; `null` if it is absent and optional.
    func value(in fields: JSONObject) throws(RecordDefect) -> SQLValue {
        guard let found = fields[name] ?? substitute.flatMap({ fields[$0] }) else {
            if isRequired { throw RecordDefect(reason: "it has no \(name)") }
            return .null
        }
        guard let value = value(of: found) else {
            throw RecordDefect(reason: "its \(name) is not what the contract allows")
        }
        return value
    }

    private func value(of found: JSONValue) -> SQLValue? {
        switch (kind, found) {
        case (.whole, .number(let digits)): Self.whole(digits, in: 0...Self.greatest)
        case (.signed, .number(let digits)):
            Self.whole(digits, in: -Self.greatest...Self.greatest)
        case (.decimal, .number(let digits)): Self.decimal(digits).map { .decimal($0) }
        case (.flag, .flag(let flag)): .whole(flag ? 1 : 0)
        case (.ulid, .text(let text)) where ULID.isValid(text): .text(text)
        case (.athlete, .text(let text)) where AthleteID.isValid(text): .text(text)
        case (.slug, .text(let text)) where Slug.isValid(text): .text(text)
        case (.enumValue, .text(let text)) where Self.isEnumValue(text): .text(text)
        case (.freeText, .text(let text)) where text.utf8.count <= 1000: .text(text)
        case (.forces, .list(let points)): Self.forces(points).map { .bytes($0) }
        case (.recordOnly, .list), (.recordOnly, .object), (.recordOnly, .number), (.recordOnly, .flag):
            SQLValue.null
        case (.recordOnly, .text(let text)) where Self.isEnumValue(text): SQLValue.null
        default: nil
        }
    }

    /// The largest whole number that every JSON reader represents exactly.
    private static let greatest: Int64 = 1 << 53 - 1

    private static func whole(_ digits: String, in range: ClosedRange<Int64>) -> SQLValue? {
        Int64(digits).flatMap { range.contains($0) ? .whole($0) : nil }
    }

    private static func decimal(_ digits: String) -> Double? {
        Double(digits).flatMap { $0.magnitude < 1e12 ? $0 : nil }
    }

    private static func isEnumValue(_ text: String) -> Bool {
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
