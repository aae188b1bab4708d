import Bytes

/// What is wrong with a command: a word for programs and a sentence for people.
package struct CommandFault: Error, Equatable {
    package var code: CommandCode
    package var message: String

    package init(_ code: CommandCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// The fields of a command while they are read; `finish` refuses those that nobody asked for.
package struct CommandFields {
    private static let maximumName = 64

    private let object: JSONObject
    /// Names the object in messages: empty, or `intervals[2].`.
    private let path: String
    private var known: [String] = []

    package init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
    }

    /// Throws for a field that is unknown, or there twice.
    package func finish() throws(CommandFault) {
        var seen: Set<String> = []
        for member in object.members {
            // The names of a peer go into replies and logs: no longer than makes sense.
            let name = String(member.name.prefix(32))
            guard seen.insert(member.name).inserted else {
                throw CommandFault(.badValue, "\(path)\(name) is there twice")
            }
            guard known.contains(member.name) else {
                let near = Spelling.nearest(to: name, among: known)
                let advice = near.map { "; did you mean \($0)?" } ?? ""
                throw CommandFault(.unknownField, "unknown field \(path)\(name)\(advice)")
            }
        }
    }

    // MARK: - Values; nil when the field is absent

    package mutating func text(_ name: String) throws(CommandFault) -> String? {
        guard let value = take(name) else { return nil }
        guard case .text(let text) = value else { throw wrong(name, "must be a text") }
        return text
    }

    package mutating func flag(_ name: String) throws(CommandFault) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .flag(let flag) = value else { throw wrong(name, "must be true or false") }
        return flag
    }

    package mutating func integer(
        _ name: String, in range: ClosedRange<Int>
    ) throws(CommandFault) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .number(let text) = value, let number = Int(text) else {
            throw wrong(name, "must be a whole number")
        }
        guard range.contains(number) else {
            throw wrong(name, "must be \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A number of seconds, in hundredths.
    package mutating func centiseconds(
        _ name: String, inSeconds range: ClosedRange<Int>
    ) throws(CommandFault) -> UInt32? {
        guard let value = take(name) else { return nil }
        guard case .number(let text) = value, let seconds = Double(text) else {
            throw wrong(name, "must be a number of seconds")
        }
        guard (Double(range.lowerBound)...Double(range.upperBound)).contains(seconds) else {
            throw wrong(name, "must be \(range.lowerBound) to \(range.upperBound)")
        }
        return UInt32((seconds * 100).rounded())
    }

    package mutating func list(_ name: String) throws(CommandFault) -> [JSONValue]? {
        guard let value = take(name) else { return nil }
        guard case .list(let values) = value else { throw wrong(name, "must be a list") }
        return values
    }

    /// An object, and its bytes as they were written.
    package mutating func object(
        _ name: String
    ) throws(CommandFault) -> (object: JSONObject, source: [UInt8])? {
        guard let value = take(name) else { return nil }
        guard case .object(let inner) = value else { throw wrong(name, "must be an object") }
        let member = object.members.last { $0.name == name }
        return (inner, Array(member?.valueSource ?? []))
    }

    /// The sender's name for the request.
    package mutating func requestID() throws(CommandFault) -> String? { try name("request_id") }

    /// What names something, in whatever way the sender likes.
    package mutating func name(_ field: String) throws(CommandFault) -> String? {
        guard let name = try text(field) else { return nil }
        let isVisible = name.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) }
        guard isVisible, (1...Self.maximumName).contains(name.utf8.count) else {
            throw wrong(field, "must be 1 to \(Self.maximumName) visible ASCII characters")
        }
        return name
    }

    /// The fault of a field that has to be there.
    package func missing(_ name: String) -> CommandFault {
        CommandFault(.missingField, "\(path)\(name) is missing")
    }

    /// The fault of a field that has a value it cannot have.
    package func wrong(_ name: String, _ reason: String) -> CommandFault {
        CommandFault(.badValue, "\(path)\(name) \(reason)")
    }

    private mutating func take(_ name: String) -> JSONValue? {
        known.append(name)
        return object[name]
    }
}
