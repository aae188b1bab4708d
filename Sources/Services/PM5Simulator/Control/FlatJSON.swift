import Bytes

/// A JSON object without objects or arrays inside: a control request, a line of a recording.
struct FlatJSON: Equatable {
    enum Value: Equatable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case null

        fileprivate init?(_ value: JSONValue) {
            switch value {
            case .text(let text): self = .text(text)
            case .flag(let flag): self = .flag(flag)
            case .null: self = .null
            case .number(let digits):
                guard let number = Double(digits) else { return nil }
                self = .number(number)
            case .list, .object: return nil
            }
        }
    }

    private(set) var members: [String: Value] = [:]

    /// Nil when the line is anything but such an object; the last of equal names counts.
    init?(_ line: String) {
        guard case .object(let object)? = try? JSONValue(parsing: Array(line.utf8)) else {
            return nil
        }
        for member in object.members {
            guard let value = Value(member.value) else { return nil }
            members[member.name] = value
        }
    }

    func text(_ name: String) -> String? {
        if case .text(let text)? = members[name] { text } else { nil }
    }

    func number(_ name: String) -> Double? {
        if case .number(let number)? = members[name] { number } else { nil }
    }

    func integer(_ name: String) -> Int? { number(name).flatMap { Int(exactly: $0) } }

    /// `true` and `false`, or 1 and 0.
    func flag(_ name: String) -> Bool? {
        switch members[name] {
        case .flag(let flag)?: flag
        case .number(1)?: true
        case .number(0)?: false
        default: nil
        }
    }
}
