import CSystemd

extension BusMessage {
    /// `s`.
    package func append(string: String) throws(BusError) { try append("s", string) }
    /// `o`; throws on text that is no path.
    package func append(objectPath: String) throws(BusError) { try append("o", objectPath) }
    /// `b`.
    package func append(boolean: Bool) throws(BusError) { try append("b", Int32(boolean ? 1 : 0)) }
    /// `q`.
    package func append(uint16: UInt16) throws(BusError) { try append("q", uint16) }
    /// `u`.
    package func append(uint32: UInt32) throws(BusError) { try append("u", uint32) }

    /// Appends a descriptor; the message holds a duplicate, the caller's stays open.
    package func append(fileDescriptor: Int32) throws(BusError) {
        try append("h", fileDescriptor)
    }

    /// `ay`.
    package func append(bytes: [UInt8]) throws(BusError) {
        let code = bytes.withUnsafeBytes {
            sd_bus_message_append_array(raw, Self.typeCode("y"), $0.baseAddress, $0.count)
        }
        try checked(code, "append ay")
    }

    /// `as`.
    package func append(strings: [String]) throws(BusError) {
        try open("a", "s")
        for string in strings { try append(string: string) }
        try close()
    }

    /// `a{sv}`.
    package func append(properties: BusProperties) throws(BusError) {
        try append(properties, "sv") { message, value throws(BusError) in
            try message.append(variant: value)
        }
    }

    /// `a{sa{sv}}`.
    package func append(interfaces: BusInterfaces) throws(BusError) {
        try append(interfaces, "sa{sv}") { message, properties throws(BusError) in
            try message.append(properties: properties)
        }
    }

    /// `a{oa{sa{sv}}}`.
    package func append(objectTree: BusObjectTree) throws(BusError) {
        try append(objectTree, "oa{sa{sv}}") { message, interfaces throws(BusError) in
            try message.append(interfaces: interfaces)
        }
    }

    /// A dictionary with such entries, in the order of its keys, which are strings or paths.
    private func append<Value>(
        _ dictionary: [String: Value], _ entry: String,
        _ append: (borrowing BusMessage, Value) throws(BusError) -> Void
    ) throws(BusError) {
        let key = entry.unicodeScalars.first ?? "s"
        try open("a", "{\(entry)}")
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            try open("e", entry)
            try self.append(key, name)
            try append(self, value)
            try close()
        }
        try close()
    }

    /// `v`, with the signature of its content.
    package func append(variant value: BusValue) throws(BusError) {
        try open("v", value.signature)
        try append(value)
        try close()
    }

    /// Appends the value with its own type, not as a variant.
    package func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let value): try append("y", value)
        case .boolean(let value): try append(boolean: value)
        case .int16(let value): try append("n", value)
        case .uint16(let value): try append("q", value)
        case .int32(let value): try append("i", value)
        case .uint32(let value): try append("u", value)
        case .int64(let value): try append("x", value)
        case .uint64(let value): try append("t", value)
        case .double(let value): try append("d", value)
        case .string(let text): try append("s", text)
        case .objectPath(let text): try append("o", text)
        case .signature(let text): try append("g", text)
        case .bytes(let bytes): try append(bytes: bytes)
        case .dictionary(let properties): try append(properties: properties)
        case .variant(let value): try append(variant: value)
        case .array(let elements, let type):
            try open("a", type)
            for element in elements { try append(element) }
            try close()
        case .numberedDictionary(let properties):
            try open("a", "{qv}")
            for (number, value) in properties.sorted(by: { $0.key < $1.key }) {
                try open("e", "qv")
                try append("q", number)
                try append(variant: value)
                try close()
            }
            try close()
        }
    }

    // MARK: - Implementation

    private func open(_ type: Unicode.Scalar, _ contents: String) throws(BusError) {
        try checked(
            sd_bus_message_open_container(raw, Self.typeCode(type), contents), "open \(contents)")
    }

    private func close() throws(BusError) {
        try checked(sd_bus_message_close_container(raw), "close a container")
    }

    private func append(_ type: Unicode.Scalar, _ text: String) throws(BusError) {
        let code = text.withCString { sd_bus_message_append_basic(raw, Self.typeCode(type), $0) }
        try checked(code, "append '\(type)'")
    }

    private func append<T: BitwiseCopyable>(
        _ type: Unicode.Scalar, _ value: T
    ) throws(BusError) {
        let code = withUnsafePointer(to: value) {
            sd_bus_message_append_basic(raw, Self.typeCode(type), $0)
        }
        try checked(code, "append '\(type)'")
    }
}
