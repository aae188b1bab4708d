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
