import Contract

/// Reads the sections of a merged configuration and collects all problems.
package struct ConfigurationReader {
    private let root: ConfigurationTable
    /// The main file, which is the place of a missing section.
    private let mainFile: ConfigurationPlace
    private var sections: [ConfigurationSection] = []
    private var knownSections: [String] = []
    package private(set) var warnings: [ConfigurationProblem] = []
    /// Problems that belong to no section.
    private var sectionlessProblems: [ConfigurationProblem] = []

    package init(_ root: ConfigurationTable, mainFile: String) {
        self.root = root
        self.mainFile = ConfigurationPlace(file: mainFile)
    }

    /// All effective values, in the order of reading.
    package var settings: [ConfigurationSetting] { sections.flatMap(\.settings) }

    /// Place of a section, or of the main file if the section is missing.
    package func place(of section: String) -> ConfigurationPlace {
        root.values[section]?.place ?? mainFile
    }

    /// Number of `[[name]]` sections, including invalid ones.
    package func count(of name: String) -> Int {
        guard case .array(let elements) = root.values[name]?.content else { return 0 }
        return elements.count
    }

    package mutating func report(_ problem: ConfigurationProblem) { sectionlessProblems.append(problem) }

    package mutating func warn(_ warning: ConfigurationProblem) { warnings.append(warning) }

    /// Reads `[name]`. A missing section is read as an empty one.
    package mutating func section<Value>(
        _ name: String, _ read: (inout ConfigurationSection) -> Value
    ) -> Value {
        knownSections.append(name)
        var table = ConfigurationTable()
        if let value = root.values[name] {
            if case .table(let found) = value.content {
                table = found
            } else {
                sectionlessProblems.append(
                    ConfigurationProblem(
                        at: value.place, key: name, "is \(value.kind), not a section",
                        suggestion: "write [\(name)], and its keys below"))
            }
        }
        var section = ConfigurationSection(path: name, place: place(of: name), table: table)
        let value = read(&section)
        sections.append(section)
        return value
    }

    /// Reads each `[[name]]`. Omits sections for which `read` returns nil.
    package mutating func sections<Value>(
        _ name: String, _ read: (inout ConfigurationSection) -> Value?
    ) -> [Value] {
        knownSections.append(name)
        guard let value = root.values[name] else { return [] }
        guard case .array(let elements) = value.content else {
            sectionlessProblems.append(
                ConfigurationProblem(
                    at: value.place, key: name, "is \(value.kind), not a list of sections",
                    suggestion: "write [[\(name)]] with two brackets, once for each"))
            return []
        }
        var values: [Value] = []
        for (index, element) in elements.enumerated() {
            let path = "\(name)[\(index + 1)]"
            guard case .table(let table) = element.content else {
                sectionlessProblems.append(
                    ConfigurationProblem(
                        at: element.place, key: path, "is \(element.kind), not a section",
                        suggestion: "write [[\(name)]], and its keys below"))
                continue
            }
            var section = ConfigurationSection(path: path, place: element.place, table: table)
            if let value = read(&section) { values.append(value) }
            sections.append(section)
        }
        return values
    }

    /// All problems, including unknown keys and sections, in file order.
    package func problems() -> [ConfigurationProblem] {
        let all =
            sectionlessProblems + sections.flatMap(\.problems) + unknownSections()
            + sections.flatMap(unknownKeys)
        return all.sorted { left, right in
            (left.place.file, left.place.line, left.place.column)
                < (right.place.file, right.place.line, right.place.column)
        }
    }

    private func unknownSections() -> [ConfigurationProblem] {
        root.values.filter { !knownSections.contains($0.key) }.map { key, value in
            let isSection = if case .table = value.content { true } else { false }
            return ConfigurationProblem(
                at: value.place, key: key, isSection ? "unknown section" : "unknown key",
                suggestion: advice(for: key, siblings: knownSections))
        }
    }

    private func unknownKeys(of section: ConfigurationSection) -> [ConfigurationProblem] {
        section.unknownKeys.map { key, place in
            ConfigurationProblem(
                at: place, key: "\(section.path).\(key)", "unknown key",
                suggestion: advice(for: key, siblings: section.knownKeys))
        }
    }

    /// Suggests a similar key, or the section that has the key.
    private func advice(for key: String, siblings: [String]) -> String? {
        if let near = Spelling.nearest(to: key, among: siblings) {
            return "did you mean \(near)?"
        }
        let owners = sections.filter { $0.knownKeys.contains(key) }
        return owners.first.map { "it belongs under [\($0.path)]" }
    }
}
