/// Decodes `Decodable` values from JSON, without Foundation; see `JSONEncoding`.
package enum JSONDecoding {
    /// - Throws: `DecodingError`, also if the text is not JSON.
    package static func value<Value: Decodable>(
        _ type: Value.Type, from text: [UInt8]
    ) throws -> Value {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: text)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(error)"))
        }
        return try ValueDecoder(value: value, codingPath: []).decode(type)
    }
}

private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(MemberReader(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let values) = value else { throw mismatch([JSONValue].self) }
        return ElementReader(values: values, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let found: Any?
        switch type {
        case is Bool.Type: found = if case .flag(let flag) = value { flag } else { nil }
        case is String.Type: found = if case .text(let text) = value { text } else { nil }
        case let type as any FixedWidthInteger.Type: found = integer(type)
        case is Double.Type: found = number.flatMap(Double.init)
        case is Float.Type: found = number.flatMap(Float.init)
        default: return try Value(from: self)
        }
        guard let found = found as? Value else { throw mismatch(type) }
        return found
    }

    private var number: String? {
        if case .number(let digits) = value { digits } else { nil }
    }

    /// Also accepts `2e3` or `5.0`.
    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        guard let number else { return nil }
        return Integer(number) ?? Double(number).flatMap { Integer(exactly: $0) }
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "expected \(type)")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

private struct MemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let codingPath: [any CodingKey]

    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.name) } }
    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder(key).decode(type)
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { try decoder(JSONKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
        guard let value = object[key.stringValue] else {
            let context = DecodingError.Context(
                codingPath: codingPath, debugDescription: "no \(key.stringValue)")
            throw DecodingError.keyNotFound(key, context)
        }
        return ValueDecoder(value: value, codingPath: codingPath + [key])
    }
}

private struct ElementReader: UnkeyedDecodingContainer {
    let values: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(values: [JSONValue], codingPath: [any CodingKey]) {
        self.values = values
        self.codingPath = codingPath
    }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try current(Never.self).decodeNil()
        if isNull { currentIndex += 1 }
        return isNull
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try current(type).decode(type)
        currentIndex += 1
        return value
    }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder { try next() }

    private func current(_ type: Any.Type) throws -> ValueDecoder {
        guard !isAtEnd else {
            let context = DecodingError.Context(
                codingPath: codingPath, debugDescription: "no element \(currentIndex)")
            throw DecodingError.valueNotFound(type, context)
        }
        return ValueDecoder(value: values[currentIndex], codingPath: codingPath)
    }
    private mutating func next() throws -> ValueDecoder {
        let decoder = try current(Never.self)
        currentIndex += 1
        return decoder
    }
}
