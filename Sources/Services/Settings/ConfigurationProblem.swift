/// A place in a configuration file, for a person with an editor.
package struct ConfigurationPlace: Hashable, Sendable, CustomStringConvertible {
    /// As the administrator named it, or as it was found in conf.d.
    package var file: String
    /// Counted from 1; 0 when the file as a whole is meant.
    package var line = 0
    /// Counted from 1, in code points; 0 when the file as a whole is meant.
    package var column = 0

    /// `/etc/rowgate/rowgate.toml:12:3`, the form that editors and terminals turn into a link.
    package var description: String { line == 0 ? file : "\(file):\(line):\(column)" }
}

/// One thing that is wrong with the configuration, and what to do about it.
package struct ConfigurationProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where to put the cursor.
    package var place: ConfigurationPlace
    /// The dotted key, `broker.port` or `erg[2].serial`; nil when no key is meant.
    package var key: String?
    /// What is wrong, in words.
    package var reason: String
    /// What would be right, as a phrase that follows a semicolon.
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

/// Everything that is wrong with the configuration. Never empty.
package struct InvalidConfiguration: Error, Equatable, Sendable, CustomStringConvertible {
    /// EX_CONFIG of sysexits.h: systemd is told not to restart on it.
    package static let exitStatus: Int32 = 78

    /// In file order.
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) { self.problems = problems }

    /// A line each.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
