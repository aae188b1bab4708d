/// A place in a configuration file.
package struct ConfigurationPlace: Hashable, Sendable, CustomStringConvertible {
    /// Path as given by the administrator, or as found in conf.d.
    package var file: String
    /// Counted from 1; 0 for the whole file.
    package var line = 0
    /// Counted from 1, in code points; 0 for the whole file.
    package var column = 0

    /// `/etc/rowgate/rowgate.toml:12:3`, which editors and terminals show as a link.
    package var description: String { line == 0 ? file : "\(file):\(line):\(column)" }
}

/// An error in the configuration, with its remedy.
package struct ConfigurationProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// Place of the wrong key, value or section.
    package var place: ConfigurationPlace
    /// The dotted key, `broker.port` or `erg[2].serial`; nil if the problem is not about one key.
    package var key: String?
    /// Description of the problem.
    package var reason: String
    /// The remedy, as a phrase that follows a semicolon.
    package var suggestion: String?

    package init(
        at place: ConfigurationPlace, key: String? = nil, _ reason: String,
        suggestion: String? = nil
    ) {
        self.place = place
        self.key = key
        self.reason = reason
        self.suggestion = suggestion
    }

    /// Place, key, reason and suggestion, in one line.
    package var description: String {
        let subject = key.map { "\($0): " } ?? ""
        let advice = suggestion.map { "; \($0)" } ?? ""
        return "\(place): \(subject)\(reason)\(advice)"
    }
}

/// All problems of a configuration. Never empty.
package struct InvalidConfiguration: Error, Equatable, Sendable, CustomStringConvertible {
    /// EX_CONFIG of sysexits.h. The systemd unit does not restart after it.
    package static let exitStatus: Int32 = 78

    /// In file order.
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) { self.problems = problems }

    /// One line per problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A problem with one value, without its place.
package struct ConfigurationFault: Error {
    package var reason: String
    package var suggestion: String?

    package init(_ reason: String, suggestion: String? = nil) {
        self.reason = reason
        self.suggestion = suggestion
    }
}

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
