import Bytes

/// A payload with a fixed layout. Its fields are listed once, for decoding, encoding and printing.
protocol FieldwisePayload: CharacteristicPayload, BlankValue {
    /// The shortest length of the layout of `carrier`.
    static func length(by carrier: Carrier) -> Int

    /// Passes each field to `coder`, in protocol order.
    mutating func code(with coder: inout some PayloadCoder)
}

typealias WireNumber = UnsignedInteger & FixedWidthInteger & BitwiseCopyable

/// Decodes, encodes or prints the fields of a payload. Numbers are little-endian.
protocol PayloadCoder {
    var carrier: Carrier { get }

    /// - Parameters:
    ///   - width: the width of the number's type, or 3 bytes of a `UInt32`.
    ///   - name: the printed name, in units of 10^-`decimals`; nil if it is not printed.
    mutating func number(_ value: inout some WireNumber, width: Int, _ name: String?, decimals: Int)

    /// Codes a number that some layouts lack. It is nil and not printed if `isCarried` is false.
    ///
    /// - Parameter none: encoded for nil.
    mutating func number<Value: WireNumber>(
        _ value: inout Value?, ifCarried isCarried: Bool, none: Value, _ name: String,
        decimals: Int)

    /// Codes a number that later firmware appended; nil is left out.
    mutating func appended(_ value: inout (some WireNumber)?, _ name: String)

    /// Prints the meaning of the previous field; does not code anything.
    mutating func meaning(_ field: @autoclosure () -> Field)
}

extension PayloadCoder {
    @inline(__always)
    mutating func field<Value: WireNumber>(
        _ value: inout Value, _ name: String? = nil, decimals: Int = 0
    ) {
        number(&value, width: MemoryLayout<Value>.size, name, decimals: decimals)
    }

    /// Reads a three-byte number, which must be below 2^24.
    @inline(__always)
    mutating func uint24(_ value: inout UInt32, _ name: String, decimals: Int = 0) {
        number(&value, width: 3, name, decimals: decimals)
    }

    /// Codes a number that only one carrier has.
    @inline(__always)
    mutating func field<Value: WireNumber>(
        _ value: inout Value?, _ name: String, decimals: Int = 0, onlyIn carrier: Carrier,
        none: Value = .max
    ) {
        number(
            &value, ifCarried: self.carrier == carrier, none: none, name, decimals: decimals)
    }

    /// Codes an enumeration; prints it as its number.
    @inline(__always)
    mutating func code(_ value: inout WireCode<some WireEnumeration>, _ name: String) {
        field(&value.rawValue, name)
    }
}

extension FieldwisePayload {
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var coder = PayloadReader(
            carrier: carrier, fields: try reader.fields(Self.length(by: carrier)), rest: reader)
        self = Self.zeros
        code(with: &coder)
        reader = coder.rest
    }

    package func encode(into writer: inout ByteWriter, carrier: Carrier) {
        var (coder, value) = (PayloadWriter(carrier: carrier, writer: writer), self)
        value.code(with: &coder)
        writer = coder.writer
    }

    package var fields: [Field] {
        var (coder, value) = (PayloadPrinter(), self)
        value.code(with: &coder)
        return coder.fields
    }

    /// A value for decoding into. All zeros are valid in every payload; a blank value would cost a search
    /// for the code of each enumeration. They are a literal, because the compiler then sees that all of
    /// them are overwritten.
    @inline(__always)
    private static var zeros: Self {
        let zeros: StaticString = """
            \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
            \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0
            """
        precondition(MemoryLayout<Self>.size <= zeros.utf8CodeUnitCount, "more zeros are needed")
        return UnsafeRawPointer(zeros.utf8Start).loadUnaligned(as: Self.self)
    }
}

private struct PayloadReader: PayloadCoder {
    let carrier: Carrier
    var fields: FieldReader
    /// The bytes after the shortest layout.
    var rest: ByteReader

    @inline(__always)
    mutating func number<Value: WireNumber>(
        _ value: inout Value, width: Int, _ name: String?, decimals: Int
    ) {
        value = width == 3 ? Value(truncatingIfNeeded: fields.uint24()) : fields.integer()
    }

    @inline(__always)
    mutating func number<Value: WireNumber>(
        _ value: inout Value?, ifCarried isCarried: Bool, none: Value, _ name: String,
        decimals: Int
    ) {
        value = isCarried ? fields.integer() : nil
    }

    @inline(__always)
    mutating func appended<Value: WireNumber>(_ value: inout Value?, _ name: String) {
        value = try? rest.integer(.little)
    }

    @inline(__always)
    mutating func meaning(_ field: @autoclosure () -> Field) {}
}

private struct PayloadWriter: PayloadCoder {
    let carrier: Carrier
    var writer: ByteWriter

    mutating func number(_ value: inout some WireNumber, width: Int, _ name: String?, decimals: Int) {
        writer.unsigned(UInt64(value), width: width)
    }

    mutating func number<Value: WireNumber>(
        _ value: inout Value?, ifCarried isCarried: Bool, none: Value, _ name: String,
        decimals: Int
    ) {
        if isCarried {
            writer.unsigned(UInt64(value ?? none), width: MemoryLayout<Value>.size)
        }
    }

    mutating func appended<Value: WireNumber>(_ value: inout Value?, _ name: String) {
        if let value { writer.unsigned(UInt64(value), width: MemoryLayout<Value>.size) }
    }

    mutating func meaning(_ field: @autoclosure () -> Field) {}
}

private struct PayloadPrinter: PayloadCoder {
    /// Prints every existing field, independent of its carrier.
    let carrier = Carrier.dedicated
    var fields: [Field] = []

    mutating func number(_ value: inout some WireNumber, width: Int, _ name: String?, decimals: Int) {
        if let name { fields.append(Field(name, value, decimals: decimals)) }
    }

    mutating func number<Value: WireNumber>(
        _ value: inout Value?, ifCarried isCarried: Bool, none: Value, _ name: String,
        decimals: Int
    ) {
        if let value { fields.append(Field(name, value, decimals: decimals)) }
    }

    mutating func appended<Value: WireNumber>(_ value: inout Value?, _ name: String) {
        if let value { fields.append(Field(name, value)) }
    }

    mutating func meaning(_ field: @autoclosure () -> Field) { fields.append(field()) }
}
