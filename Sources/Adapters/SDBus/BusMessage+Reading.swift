import CSystemd
import Glibc

extension BusMessage {
    /// `s`. Each of these throws if the next argument has another type or is missing.
    package func readString() throws(BusError) -> String { try text(of: "s") }
    /// `o`.
    package func readObjectPath() throws(BusError) -> String { try text(of: "o") }
    /// `b`.
    package func readBoolean() throws(BusError) -> Bool { try basic("b", Int32(0)) != 0 }
    /// `q`.
    package func readUInt16() throws(BusError) -> UInt16 { try basic("q", 0) }
    /// `u`.
    package func readUInt32() throws(BusError) -> UInt32 { try basic("u", 0) }

    /// A duplicate descriptor owned by the caller (close-on-exec); the message closes its own.
    package func readFileDescriptor() throws(BusError) -> Int32 {
        let borrowed: Int32 = try basic("h", -1)
        let own = fcntl(borrowed, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else { throw failure(errno, "duplicate a received descriptor") }
        return own
    }

    /// `ay`, copied.
    package func readBytes() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        try checked(sd_bus_message_read_array(raw, Self.typeCode("y"), &start, &count), "read ay")
        guard let start, count > 0 else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// `a{sv}`.
    package func readProperties() throws(BusError) -> BusProperties {
        try readDictionary("sv") { message throws(BusError) in try message.readVariant() }
    }

    /// `a{sa{sv}}`, the body of InterfacesAdded after its path.
    package func readInterfaces() throws(BusError) -> BusInterfaces {
        try readDictionary("sa{sv}") { message throws(BusError) in try message.readProperties() }
    }

    /// `a{oa{sa{sv}}}`, the answer of GetManagedObjects.
    package func readObjectTree() throws(BusError) -> BusObjectTree {
        try readDictionary("oa{sa{sv}}") { message throws(BusError) in
            try message.readInterfaces()
        }
    }

    /// A dictionary with such entries, whose keys are strings or paths.
    private func readDictionary<Value>(
        _ entry: String, _ read: (borrowing BusMessage) throws(BusError) -> Value
    ) throws(BusError) -> [String: Value] {
        var values: [String: Value] = [:]
        guard let key = entry.unicodeScalars.first, try enter("a", "{\(entry)}") else {
            return values
        }
        while try enter("e", entry) {
            let name = try text(of: key)
            values[name] = try read(self)
            try exit()
        }
        try exit()
        return values
    }

    /// `as`.
    package func readStrings() throws(BusError) -> [String] {
        var strings: [String] = []
        guard try enter("a", "s") else { return strings }
        while try !atEnd() { strings.append(try readString()) }
        try exit()
        return strings
    }

    /// The value inside a variant.
    package func readVariant() throws(BusError) -> BusValue {
        let contents = try peek().contents
        try checked(sd_bus_message_enter_container(raw, Self.typeCode("v"), contents), "enter v")
        let value = try readValue()
        try exit()
        return value
    }

    /// Reads the next value of any type.
    ///
    /// Throws for types that no property of BlueZ has (structures, descriptors, dictionaries with
    /// other keys), so that a new kind of property is noticed.
    package func readValue() throws(BusError) -> BusValue {
        let (type, contents) = try peek()
        switch type {
        case "y": return .byte(try basic("y", 0))
        case "b": return .boolean(try readBoolean())
        case "n": return .int16(try basic("n", 0))
        case "q": return .uint16(try basic("q", 0))
        case "i": return .int32(try basic("i", 0))
        case "u": return .uint32(try basic("u", 0))
        case "x": return .int64(try basic("x", 0))
        case "t": return .uint64(try basic("t", 0))
        case "d": return .double(try basic("d", 0))
        case "s": return .string(try readString())
        case "o": return .objectPath(try readObjectPath())
        case "g": return .signature(try text(of: "g"))
        case "v": return .variant(try readVariant())
        case "a": return try readArray(of: contents ?? "")
        default: throw failure(EBADMSG, "read a value of type '\(type)'")
        }
    }

    private func readArray(of element: String) throws(BusError) -> BusValue {
        switch element {
        case "y": return .bytes(try readBytes())
        case "{sv}": return .dictionary(try readProperties())
        case "{qv}": return .numberedDictionary(try readNumberedProperties())
        default:
            var elements: [BusValue] = []
            try checked(
                sd_bus_message_enter_container(raw, Self.typeCode("a"), element), "enter array")
            while try !atEnd() { elements.append(try readValue()) }
            try exit()
            return .array(elements, of: element)
        }
    }

    private func readNumberedProperties() throws(BusError) -> [UInt16: BusValue] {
        var properties: [UInt16: BusValue] = [:]
        guard try enter("a", "{qv}") else { return properties }
        while try enter("e", "qv") {
            let number = try readUInt16()
            properties[number] = try readVariant()
            try exit()
        }
        try exit()
        return properties
    }

    // MARK: - Implementation

    /// Returns false at the end of the enclosing array.
    private func enter(_ type: Unicode.Scalar, _ contents: String) throws(BusError) -> Bool {
        try checked(
            sd_bus_message_enter_container(raw, Self.typeCode(type), contents), "enter \(contents)")
            > 0
    }

    private func exit() throws(BusError) {
        try checked(sd_bus_message_exit_container(raw), "leave a container")
    }

    private func atEnd() throws(BusError) -> Bool {
        try checked(sd_bus_message_at_end(raw, 0), "look ahead") > 0
    }

    /// The next type; `contents` is copied because the container owns the original.
    private func peek() throws(BusError) -> (type: Unicode.Scalar, contents: String?) {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        try checked(sd_bus_message_peek_type(raw, &type, &contents), "look ahead")
        return (Unicode.Scalar(UInt8(bitPattern: type)), contents.map { String(cString: $0) })
    }

    private func text(of type: Unicode.Scalar) throws(BusError) -> String {
        let pointer: UnsafePointer<CChar>? = try basic(type, nil)
        return pointer.map { String(cString: $0) } ?? ""
    }

    private func basic<T>(_ type: Unicode.Scalar, _ zero: T) throws(BusError) -> T {
        var value = zero
        let code = withUnsafeMutablePointer(to: &value) {
            sd_bus_message_read_basic(raw, Self.typeCode(type), $0)
        }
        // 0 is the end of the enclosing container: the body is shorter than the caller expects.
        guard code != 0 else { throw failure(ENXIO, "read '\(type)'") }
        try checked(code, "read '\(type)'")
        return value
    }
}
