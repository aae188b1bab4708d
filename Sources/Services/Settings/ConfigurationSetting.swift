/// An effective value and its origin: a line of `rowgate --print-config`.
package struct ConfigurationSetting: Equatable, Sendable {
    /// Origin of a value.
    package enum Origin: Equatable, Sendable, CustomStringConvertible {
        case file(ConfigurationPlace)
        /// The documented default.
        case builtIn
        /// A default that depends on something else, for example the host name.
        case derived(from: String)

        package var description: String {
            switch self {
            case .file(let place): place.description
            case .builtIn: "default"
            case .derived(let source): "from \(source)"
            }
        }
    }

    /// `broker`, or `erg[2]` for the second `[[erg]]`.
    package var section: String
    /// Within its section.
    package var key: String
    /// In TOML notation; nil if the key is not set and has no default.
    package var value: String?
    /// Origin of the value.
    package var origin: Origin
}

extension [ConfigurationSetting] {
    /// A configuration file with these settings. A comment in each line shows the origin.
    package var tomlText: String {
        var text = ""
        var section: String?
        for setting in self {
            if setting.section != section {
                text += (section == nil ? "" : "\n") + setting.header + "\n"
                section = setting.section
            }
            if let value = setting.value {
                text += "\(setting.key) = \(value)  # \(setting.origin)\n"
            } else {
                text += "#\(setting.key) =  # not set\n"
            }
        }
        return text
    }
}

extension ConfigurationSetting {
    fileprivate var header: String {
        guard let bracket = section.firstIndex(of: "[") else { return "[\(section)]" }
        return "[[\(section[..<bracket])]]"
    }
}

/// A value with a TOML notation.
protocol TOMLRepresentable {
    var tomlText: String { get }
}

extension Int: TOMLRepresentable {
    package var tomlText: String { String(self) }
}

extension Bool: TOMLRepresentable {
    package var tomlText: String { self ? "true" : "false" }
}

extension String: TOMLRepresentable {
    package var tomlText: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}

extension [String]: TOMLRepresentable {
    var tomlText: String { "[" + map(\.tomlText).joined(separator: ", ") + "]" }
}
