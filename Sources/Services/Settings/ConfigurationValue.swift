/// A value of a configuration file, and where it stands.
package struct ConfigurationValue: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        /// A TOML date or time, which no key of ours takes.
        case dateTime
        case array([ConfigurationValue])
        case table(ConfigurationTable)
    }

    var content: Content
    /// Of the key that names the value; inside an array, of the value itself.
    var place: ConfigurationPlace

    /// What the value is, as a sentence would call it.
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

    /// Takes over what `other` says: a later value replaces an earlier one, key by key, except that
    /// lists of sections (`[[erg]]`) are joined, so that one file may hold one erg.
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
