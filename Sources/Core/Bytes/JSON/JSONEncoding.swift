/// Encodes `Encodable` values as JSON like Foundation's encoder, but without Foundation, which would add
/// five megabytes to each program. Keys are sorted, so that equal values have equal bytes.
///
/// This file depends on no other file: the package also builds it into ArgumentParser for its use of JSON.
package enum JSONEncoding {
    /// - Parameter pretty: whether to write one member per line, indented by two spaces.
    package static func text(_ value: some Encodable, pretty: Bool = false) throws -> String {
        let node = JSONNode(path: [])
        try node.encode(value)
        var text = ""
        node.write(into: &text, indentedBy: pretty ? 0 : nil)
        return text
    }
}

/// A node of the document; its containers fill it.
private final class JSONNode {
    enum Content {
        case scalar(String)
        case list([JSONNode])
        case object([String: JSONNode])
    }

    let path: [any CodingKey]
    /// A value that encodes nothing becomes an empty object.
    var content = Content.object([:])

    init(path: [any CodingKey]) { self.path = path }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let flag as Bool: content = .scalar(flag ? "true" : "false")
        case let text as String: content = .scalar(Self.quoted(text))
        case let integer as any FixedWidthInteger: content = .scalar("\(integer)")
        case let number as Double: content = .scalar(try decimal(number))
        case let number as Float: content = .scalar(try decimal(number))
        default: try value.encode(to: NodeEncoder(node: self))
        }
    }

    /// The shortest text for the number; whole numbers have no `.0`.
    private func decimal<Number: BinaryFloatingPoint>(_ number: Number) throws -> String {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: path, debugDescription: "JSON has no \(number)"))
        }
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    func element() -> JSONNode {
        let node = JSONNode(path: path)
        if case .list(let nodes) = content { content = .list(nodes + [node]) }
        return node
    }

    func member(_ key: any CodingKey) -> JSONNode {
        let node = JSONNode(path: path + [key])
        if case .object(var members) = content {
            members[key.stringValue] = node
            content = .object(members)
        }
        return node
    }

    // MARK: Text

    func write(into text: inout String, indentedBy indent: Int?) {
        switch content {
        case .scalar(let scalar): text += scalar
        case .list(let nodes):
            write(nodes.map { ("", $0) }, in: ("[", "]"), into: &text, indentedBy: indent)
        case .object(let members):
            let colon = indent == nil ? ":" : " : "
            let sorted = members.sorted { $0.key < $1.key }
            write(
                sorted.map { (Self.quoted($0.key) + colon, $0.value) }, in: ("{", "}"),
                into: &text, indentedBy: indent)
        }
    }

    private func write(
        _ lines: [(lead: String, node: JSONNode)], in brackets: (open: String, close: String),
        into text: inout String, indentedBy indent: Int?
    ) {
        func newLine(_ indent: Int?) -> String {
            indent.map { "\n" + String(repeating: " ", count: $0) } ?? ""
        }
        let inner = indent.map { $0 + 2 }
        text += brackets.open
        for (index, line) in lines.enumerated() {
            if index > 0 { text += "," }
            text += newLine(inner) + line.lead
            line.node.write(into: &text, indentedBy: inner)
        }
        if lines.isEmpty, indent != nil { text += "\n" }
        text += newLine(indent) + brackets.close
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{8}": quoted += "\\b"
            case "\u{C}": quoted += "\\f"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0"..<" ":
                quoted += scalar.value < 16 ? "\\u000" : "\\u00"
                quoted += String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

// MARK: - Codable containers

private struct NodeEncoder: Encoder, SingleValueEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { node.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(MemberContainer(node: node))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { ElementContainer(node: node) }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { node.content = .scalar("null") }
    func encode<Value: Encodable>(_ value: Value) throws { try node.encode(value) }
}

private struct MemberContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    var codingPath: [any CodingKey] { node.path }

    func encodeNil(forKey key: Key) { node.member(key).content = .scalar("null") }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try node.member(key).encode(value)
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        NodeEncoder(node: node.member(key)).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ElementContainer(node: node.member(key))
    }
    func superEncoder() -> any Encoder { NodeEncoder(node: node.member(JSONKey("super"))) }
    func superEncoder(forKey key: Key) -> any Encoder { NodeEncoder(node: node.member(key)) }
}

private struct ElementContainer: UnkeyedEncodingContainer {
    let node: JSONNode
    private(set) var count = 0
    var codingPath: [any CodingKey] { node.path }

    init(node: JSONNode) {
        self.node = node
        node.content = .list([])
    }

    private mutating func next() -> JSONNode {
        count += 1
        return node.element()
    }
    mutating func encodeNil() { next().content = .scalar("null") }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().encode(value) }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        NodeEncoder(node: next()).container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ElementContainer(node: next())
    }
    mutating func superEncoder() -> any Encoder { NodeEncoder(node: next()) }
}

/// A coding key with a name only.
struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
