/// A value of a configuration file and its place.
package struct ConfigurationValue: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        /// A TOML date or time. No key of rowgate accepts one.
        case dateTime
        case array([ConfigurationValue])
        case table(ConfigurationTable)
    }

    var content: Content
    /// Place of the key; inside an array, of the value.
    var place: ConfigurationPlace

    /// The kind of value, for messages.
    var kind: String {
        switch content {
        case .string: "a text"
        case .integer: "a number"
        case .float: "a number with a fraction"
        case .boolean: "true or false"
        case .dateTime: "a date or time"
        case .array: "a list"
        case .table: "a section"
        }
    }
}

/// The keys of a section.
package struct ConfigurationTable: Equatable, Sendable {
    package var values: [String: ConfigurationValue] = [:]

    package init() {}

    /// Merges `other` into this table. Its values replace ours, key by key. Lists of sections
    /// (`[[erg]]`) are concatenated, so that one file may hold one erg.
    package mutating func merge(_ other: ConfigurationTable) {
        values.merge(other.values) { earlier, later in
            switch (earlier.content, later.content) {
            case (.table(var table), .table(let addition)):
                table.merge(addition)
                return ConfigurationValue(content: .table(table), place: earlier.place)
            case (.array(let elements), .array(let additions))
            where elements.holdsSections && additions.holdsSections:
                return ConfigurationValue(
                    content: .array(elements + additions), place: earlier.place)
            default:
                return later
            }
        }
    }
}

extension [ConfigurationValue] {
    fileprivate var holdsSections: Bool {
        !isEmpty
            && allSatisfy { value in
                if case .table = value.content { true } else { false }
            }
    }
}
