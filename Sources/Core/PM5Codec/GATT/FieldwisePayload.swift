import Bytes

/// A payload of a fixed layout: its fields are named once, for reading, writing and printing.
protocol FieldwisePayload: CharacteristicPayload, BlankValue {
    /// How long the shortest layout of `carrier` is.
    static func length(by carrier: Carrier) -> Int

    /// Hands each field to `coder`, in the order of the wire.
    mutating func code(with coder: inout some PayloadCoder)
}

typealias WireNumber = UnsignedInteger & FixedWidthInteger & BitwiseCopyable

/// Reads, writes or prints the fields that a payload hands to it. Numbers have their least
/// significant byte first.
protocol PayloadCoder {
    var carrier: Carrier { get }

    /// - Parameters:
    ///   - width: that of the number's type, or 3 bytes of a `UInt32`.
    ///   - name: what it is printed under, as units of 10^-`decimals`; nil for what is not printed.
    mutating func number(_ value: inout some WireNumber, width: Int, _ name: String?, decimals: Int)

    /// A number that not every layout has: nil where `isCarried` is false, and not printed then.
    ///
    /// - Parameter none: written for nil.
    mutating func number<Value: WireNumber>(
        _ value: inout Value?, ifCarried isCarried: Bool, none: Value, _ name: String,
        decimals: Int)

    /// A number that later firmware appended; nil is left out.
    mutating func appended(_ value: inout (some WireNumber)?, _ name: String)

    /// What the field before it means: printed alone.
    mutating func meaning(_ field: @autoclosure () -> Field)
}

extension PayloadCoder {
    @inline(__always)
    mutating func field<Value: WireNumber>(
        _ value: inout Value, _ name: String? = nil, decimals: Int = 0
    ) {
        number(&value, width: MemoryLayout<Value>.size, name, decimals: decimals)
    }

    /// A three-byte number; it must be below 2^24.
    @inline(__always)
    mutating func uint24(_ value: inout UInt32, _ name: String, decimals: Int = 0) {
        number(&value, width: 3, name, decimals: decimals)
    }

    /// A number that one carrier alone has.
    @inline(__always)
    mutating func field<Value: WireNumber>(
        _ value: inout Value?, _ name: String, decimals: Int = 0, onlyIn carrier: Carrier,
        none: Value = .max
    ) {
        number(
            &value, ifCarried: self.carrier == carrier, none: none, name, decimals: decimals)
    }

    /// An enumeration, printed as its number on the wire.
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

    /// A value to be read into. Zeros are a value of every payload, which is numbers throughout; a
    /// blank one would cost a search for the code of each enumeration. They come from a literal,
    /// because the compiler sees that all of them are overwritten.
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
    /// What follows the shortest layout.
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

    mutating func number(_ value: inout some WireNumber, width: Int, _ name: String?, decimals: Int)
    {
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
    /// What is there is printed, whatever it came by.
    let carrier = Carrier.dedicated
    var fields: [Field] = []

    mutating func number(_ value: inout some WireNumber, width: Int, _ name: String?, decimals: Int)
    {
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
