import Bytes

/// An error in a command: a code for programs and a sentence for people.
package struct CommandFault: Error, Equatable {
    package var code: CommandCode
    package var message: String

    package init(_ code: CommandCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Reads the fields of a command. `finish` rejects fields that were not read.
package struct CommandFields {
    private static let maximumName = 64

    private let object: JSONObject
    /// Prefix of field names in messages: empty, or `intervals[2].`.
    private let path: String
    private var known: [String] = []

    package init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
    }

    /// Throws for an unknown or repeated field.
    package func finish() throws(CommandFault) {
        var seen: Set<String> = []
        for member in object.members {
            // Field names of a client appear in replies and logs, so they are truncated.
            let name = String(member.name.prefix(32))
            guard seen.insert(member.name).inserted else {
                throw CommandFault(.badValue, "\(path)\(name) occurs twice")
            }
            guard known.contains(member.name) else {
                let near = Spelling.nearest(to: name, among: known)
                let advice = near.map { "; did you mean \($0)?" } ?? ""
                throw CommandFault(.unknownField, "unknown field \(path)\(name)\(advice)")
            }
        }
    }

    // MARK: - Values; nil if the field is absent

    package mutating func text(_ name: String) throws(CommandFault) -> String? {
        guard let value = jsonValue(name) else { return nil }
        guard case .text(let text) = value else { throw wrong(name, "must be a text") }
        return text
    }

    package mutating func flag(_ name: String) throws(CommandFault) -> Bool? {
        guard let value = jsonValue(name) else { return nil }
        guard case .flag(let flag) = value else { throw wrong(name, "must be true or false") }
        return flag
    }

    package mutating func integer(
        _ name: String, in range: ClosedRange<Int>
    ) throws(CommandFault) -> Int? {
        guard let value = jsonValue(name) else { return nil }
        guard case .number(let text) = value, let number = Int(text) else {
            throw wrong(name, "must be a whole number")
        }
        guard range.contains(number) else {
            throw wrong(name, "must be \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A number as it is written in the object.
    package mutating func numeral(_ name: String) throws(CommandFault) -> String? {
        guard let value = jsonValue(name) else { return nil }
        guard case .number(let text) = value else { throw wrong(name, "must be a number") }
        return text
    }

    /// A number of seconds that is not negative, in hundredths.
    package mutating func centiseconds(
        _ name: String, inSeconds range: ClosedRange<Int>
    ) throws(CommandFault) -> UInt32? {
        try signedCentiseconds(name, inSeconds: range).map { UInt32($0) }
    }

    /// A number of seconds, in hundredths.
    package mutating func signedCentiseconds(
        _ name: String, inSeconds range: ClosedRange<Int>
    ) throws(CommandFault) -> Int? {
        guard let value = jsonValue(name) else { return nil }
        guard case .number(let text) = value, let seconds = Double(text) else {
            throw wrong(name, "must be a number of seconds")
        }
        guard (Double(range.lowerBound)...Double(range.upperBound)).contains(seconds) else {
            throw wrong(name, "must be \(range.lowerBound) to \(range.upperBound)")
        }
        return Int((seconds * 100).rounded())
    }

    package mutating func list(_ name: String) throws(CommandFault) -> [JSONValue]? {
        guard let value = jsonValue(name) else { return nil }
        guard case .list(let values) = value else { throw wrong(name, "must be a list") }
        return values
    }

    /// An object and its source bytes.
    package mutating func object(
        _ name: String
    ) throws(CommandFault) -> (object: JSONObject, source: [UInt8])? {
        guard let value = jsonValue(name) else { return nil }
        guard case .object(let inner) = value else { throw wrong(name, "must be an object") }
        let member = object.members.last { $0.name == name }
        return (inner, Array(member?.valueSource ?? []))
    }

    /// The request id that the client chose.
    package mutating func requestID() throws(CommandFault) -> String? { try name("request_id") }

    /// A free name of 1 to 64 visible ASCII characters.
    package mutating func name(_ field: String) throws(CommandFault) -> String? {
        guard let name = try text(field) else { return nil }
        let isVisible = name.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) }
        guard isVisible, (1...Self.maximumName).contains(name.utf8.count) else {
            throw wrong(field, "must be 1 to \(Self.maximumName) visible ASCII characters")
        }
        return name
    }

    /// The error for a missing field.
    package func missing(_ name: String) -> CommandFault {
        CommandFault(.missingField, "\(path)\(name) is missing")
    }

    /// The error for a field with a wrong value.
    package func wrong(_ name: String, _ reason: String) -> CommandFault {
        CommandFault(.badValue, "\(path)\(name) \(reason)")
    }

    private mutating func jsonValue(_ name: String) -> JSONValue? {
        known.append(name)
        return object[name]
    }
}

/// Finds the intended name for a mistyped one.
package enum Spelling {
    /// Returns the candidate nearest to `word`; nil if all need more than one edit per three letters.
    /// Ignores case, and the difference between `-` and `_`.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let folded = fold(word)
        let ranked = candidates.map { (distance(folded, fold($0)), $0) }
        guard let best = ranked.min(by: { $0 < $1 }) else { return nil }
        return best.0 <= max(1, word.count / 3) ? best.1 : nil
    }

    private static func fold(_ word: String) -> [Character] {
        word.lowercased().map { $0 == "-" ? "_" : $0 }
    }

    /// The optimal string alignment distance: edits (insert, delete, replace, swap neighbours) between
    /// two words.
    package static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let same = left[row] == right[column]
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1,
                    previous[column] + (same ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
