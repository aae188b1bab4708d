/// The text of one configuration file.
package struct ConfigurationSource: Sendable {
    /// The path, as messages show it.
    package var path: String
    package var text: [UInt8]

    package init(path: String, text: [UInt8]) {
        self.path = path
        self.text = text
    }

    /// Reads all files. Throws the problems of all unreadable files together.
    package static func read(_ paths: [String]) throws(InvalidConfiguration) -> [Self] {
        var sources: [Self] = []
        var problems: [ConfigurationProblem] = []
        for path in paths {
            do {
                sources.append(Self(path: path, text: try ConfigurationFolder.contents(of: path)))
            } catch { problems.append(error) }
        }
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        return sources
    }

    /// Parses and merges `sources`, the main file first, and reads their sections with `read`. Wrong
    /// values are replaced by their defaults and reported as problems.
    package static func merge<Value>(
        _ sources: [Self], _ read: (inout ConfigurationReader) -> Value
    ) -> (Value, problems: [ConfigurationProblem]) {
        precondition(!sources.isEmpty, "a configuration has a main file")
        var merged = ConfigurationTable()
        var syntaxErrors: [ConfigurationProblem] = []
        for source in sources {
            do {
                merged.merge(try ConfigurationFile(parsing: source.text, path: source.path).table)
            } catch { syntaxErrors.append(error) }
        }
        var reader = ConfigurationReader(merged, mainFile: sources[0].path)
        let value = read(&reader)
        var problems = reader.problems()
        if !syntaxErrors.isEmpty {
            // A missing key or section may follow the syntax error, so such problems are dropped.
            problems = syntaxErrors + problems.filter { $0.place.line > 0 }
        }
        return (value, problems)
    }
}
