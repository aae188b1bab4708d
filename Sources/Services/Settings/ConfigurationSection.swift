import Contract

/// A section of a configuration. Returns typed values and collects problems with them.
///
/// Keys that no caller reads are unknown keys.
package struct ConfigurationSection {
    /// `broker`, or `erg[2]` for the second `[[erg]]`.
    package let path: String
    /// Place of the section, used for missing keys.
    package let place: ConfigurationPlace
    private let table: ConfigurationTable
    private(set) var knownKeys: [String] = []
    private(set) var settings: [ConfigurationSetting] = []
    private(set) var problems: [ConfigurationProblem] = []
    /// Whether `settings` includes keys that no file sets.
    package var listsUnsetKeys = true

    package init(path: String, place: ConfigurationPlace, table: ConfigurationTable) {
        self.path = path
        self.place = place
        self.table = table
    }

    /// Keys in the file that no caller read, with their places.
    var unknownKeys: [(key: String, place: ConfigurationPlace)] {
        table.values.filter { !knownKeys.contains($0.key) }.map { ($0.key, $0.value.place) }
    }

    /// Place of `key`, or of the section if the key is missing.
    package func place(of key: String) -> ConfigurationPlace { table.values[key]?.place ?? place }

    /// Whether a file sets `key`.
    package func isSet(_ key: String) -> Bool { table.values[key] != nil }

    /// Reports a problem if an earlier section has the same value; otherwise adds it to `earlier`.
    package mutating func reportRepeated(
        _ key: String, _ value: String, in earlier: inout [String: ConfigurationPlace]
    ) {
        if let first = earlier[value] {
            report(key, "\(value.tomlText) is already used at \(first)")
        } else {
            earlier[value] = place(of: key)
        }
    }

    /// Reports a problem with the value of `key`.
    package mutating func report(_ key: String, _ reason: String, suggestion: String? = nil) {
        problems.append(
            ConfigurationProblem(
                at: place(of: key), key: "\(path).\(key)", reason, suggestion: suggestion))
    }

    // MARK: - Values with a default

    package mutating func text(
        _ key: String, default fallback: String,
        origin: ConfigurationSetting.Origin = .builtIn, _ check: TextCheck = .any
    ) -> String {
        value(key, default: fallback, origin: origin) { value throws(ConfigurationFault) in
            try value.text(check)
        }
    }

    package mutating func integer(
        _ key: String, in range: ClosedRange<Int>, default fallback: Int,
        origin: ConfigurationSetting.Origin = .builtIn
    ) -> Int {
        value(key, default: fallback, origin: origin) { value throws(ConfigurationFault) in
            try value.integer(in: range)
        }
    }

    package mutating func integer(_ key: String, among choices: [Int], default fallback: Int) -> Int {
        value(key, default: fallback) { value throws(ConfigurationFault) in
            let number = try value.integer(in: 0...Int.max)
            guard choices.contains(number) else {
                let list = choices.map(String.init).joined(separator: ", ")
                throw ConfigurationFault("\(number) is not one of \(list)")
            }
            return number
        }
    }

    package mutating func boolean(
        _ key: String, default fallback: Bool, origin: ConfigurationSetting.Origin = .builtIn
    ) -> Bool {
        value(key, default: fallback, origin: origin) { value throws(ConfigurationFault) in
            guard case .boolean(let boolean) = value.content else {
                throw ConfigurationFault(
                    "is \(value.kind)", suggestion: "write true or false, without quotes")
            }
            return boolean
        }
    }

    package mutating func choice<Choice>(
        _ key: String, default fallback: Choice, origin: ConfigurationSetting.Origin = .builtIn
    ) -> Choice
    where Choice: CaseIterable & RawRepresentable, Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue)
        let name = text(key, default: fallback.rawValue, origin: origin, .oneOf(names))
        return Choice(rawValue: name) ?? fallback
    }

    package mutating func topicPrefix(_ key: String) -> TopicPrefix {
        let text = text(key, default: TopicPrefix.standard.text, .topicPrefix)
        return (try? TopicPrefix(text)) ?? .standard
    }

    package mutating func textList(
        _ key: String, _ check: TextCheck, normalize: (String) -> String
    ) -> [String] {
        value(key, default: []) { value throws(ConfigurationFault) in
            try value.texts(key, check, normalize: normalize)
        }
    }

    // MARK: - Values without a default

    package mutating func optionalText(_ key: String, _ check: TextCheck = .any) -> String? {
        optionalValue(key) { value throws(ConfigurationFault) in try value.text(check) }
    }

    package mutating func credentialFile(_ key: String) -> CredentialFile? {
        optionalText(key, .credentialFile).map(CredentialFile.init)
    }

    package mutating func optionalInteger(_ key: String, in range: ClosedRange<Int>) -> Int? {
        optionalValue(key) { value throws(ConfigurationFault) in try value.integer(in: range) }
    }

    /// Returns the text; if it is missing or wrong, reports a problem and returns nil.
    package mutating func requiredText(_ key: String, _ check: TextCheck) -> String? {
        if table.values[key] == nil {
            report(key, "is missing", suggestion: "add \(key) = \(check.example)")
        }
        return optionalValue(key) { value throws(ConfigurationFault) in try value.text(check) }
    }

    /// Returns a list of `count` texts; if it is missing or wrong, reports a problem and returns nil.
    package mutating func requiredTexts(
        _ key: String, _ check: TextCheck, count: ClosedRange<Int>
    ) -> [String]? {
        if table.values[key] == nil {
            report(key, "is missing", suggestion: "add \(key) = [\(check.example)]")
        }
        return optionalValue(key) { value throws(ConfigurationFault) in
            let texts = try value.texts(key, check) { $0 }
            guard count.contains(texts.count) else {
                throw ConfigurationFault(
                    "lists \(texts.count); there can be \(count.lowerBound) to "
                        + "\(count.upperBound)")
            }
            return texts
        }
    }

    // MARK: -

    private mutating func value<Value: TOMLRepresentable>(
        _ key: String, default fallback: Value, origin: ConfigurationSetting.Origin = .builtIn,
        _ convert: (ConfigurationValue) throws(ConfigurationFault) -> Value
    ) -> Value {
        let found = lookUp(key, convert)
        record(key, (found ?? fallback).tomlText, absent: origin)
        return found ?? fallback
    }

    private mutating func optionalValue<Value: TOMLRepresentable>(
        _ key: String, _ convert: (ConfigurationValue) throws(ConfigurationFault) -> Value
    ) -> Value? {
        let found = lookUp(key, convert)
        record(key, found?.tomlText, absent: .builtIn)
        return found
    }

    private mutating func lookUp<Value>(
        _ key: String, _ convert: (ConfigurationValue) throws(ConfigurationFault) -> Value
    ) -> Value? {
        knownKeys.append(key)
        guard let value = table.values[key] else { return nil }
        do {
            return try convert(value)
        } catch {
            report(key, error.reason, suggestion: error.suggestion)
            return nil
        }
    }

    private mutating func record(
        _ key: String, _ value: String?, absent: ConfigurationSetting.Origin
    ) {
        guard listsUnsetKeys || isSet(key) else { return }
        let origin = table.values[key].map { ConfigurationSetting.Origin.file($0.place) } ?? absent
        settings.append(
            ConfigurationSetting(section: path, key: key, value: value, origin: origin))
    }
}

extension ConfigurationValue {
    /// A list without duplicates.
    fileprivate func texts(
        _ key: String, _ check: TextCheck, normalize: (String) -> String
    ) throws(ConfigurationFault) -> [String] {
        guard case .array(let elements) = content else {
            throw ConfigurationFault(
                "is \(kind)", suggestion: "write a list: \(key) = [\"...\", \"...\"]")
        }
        var texts: [String] = []
        for element in elements {
            let text = normalize(try element.text(check))
            guard !texts.contains(text) else {
                throw ConfigurationFault("\(text.tomlText) is listed twice")
            }
            texts.append(text)
        }
        return texts
    }

    fileprivate func text(_ check: TextCheck) throws(ConfigurationFault) -> String {
        guard case .string(let text) = content else {
            throw ConfigurationFault(
                "is \(kind)", suggestion: "write a text in quotes, such as \(check.example)")
        }
        try check.verify(text)
        return text
    }

    fileprivate func integer(in range: ClosedRange<Int>) throws(ConfigurationFault) -> Int {
        guard case .integer(let integer) = content else {
            throw ConfigurationFault(
                "is \(kind)", suggestion: "write a whole number, without quotes")
        }
        guard let number = Int(exactly: integer), range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "below \(range.lowerBound)"
                : "outside \(range.lowerBound) to \(range.upperBound)"
            throw ConfigurationFault("\(integer) is \(bounds)")
        }
        return number
    }
}
