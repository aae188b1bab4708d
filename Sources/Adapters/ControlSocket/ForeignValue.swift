/// Any JSON value, passed through unchanged: Varlink's `object`.
package enum ForeignValue: Codable, Equatable, Sendable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([ForeignValue])
    case object([String: ForeignValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([ForeignValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: ForeignValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    /// The text of a member; nil if the value is not an object or the member is not text.
    package subscript(name: String) -> String? {
        guard case .object(let object) = self, case .text(let text)? = object[name] else {
            return nil
        }
        return text
    }
}
