import Bytes

/// Encodes messages of the Flexible and Interoperable Data Transfer protocol, version 2.0: a header, a
/// definition before the first message of each shape, and a checksum (FIT protocol description, Garmin).
struct FITWriter {
    /// A base type of the protocol. Its greatest value means "invalid".
    enum Base: UInt8 {
        case enumeration = 0x00
        case uint8 = 0x02
        case uint16 = 0x84
        case uint32 = 0x86

        var size: Int {
            switch self {
            case .enumeration, .uint8: 1
            case .uint16: 2
            case .uint32: 4
            }
        }

        /// The value for "invalid".
        private var greatest: UInt64 { (1 << (UInt64(size) * 8)) - 1 }

        /// Clamps a value to the valid range of the type.
        func valid(_ value: Int64?) -> UInt64 {
            guard let value, value >= 0 else { return greatest }
            return min(UInt64(value), greatest - 1)
        }
    }

    /// A field of a message: its number in the profile and its scaled value; nil for "invalid".
    struct Field {
        var number: UInt8
        var base: Base
        var value: Int64?

        init(_ number: UInt8, _ base: Base, _ value: Int64?) {
            (self.number, self.base, self.value) = (number, base, value)
        }
    }

    private static let headerSize: UInt8 = 14
    /// 2.0, one nibble each.
    private static let protocolVersion: UInt8 = 0x20
    /// 21.32 times 100: the profile that defines the numbers of messages and fields.
    private static let profileVersion: UInt16 = 2132
    private static let isDefinition: UInt8 = 0x40

    private var data = ByteWriter()
    /// The definition of each local message number.
    private var shapes: [[UInt8]] = []

    /// Appends a message; `number` is its global number in the profile.
    mutating func add(_ number: UInt16, _ fields: [Field]) {
        let shape =
            [UInt8(truncatingIfNeeded: number), UInt8(number >> 8), UInt8(fields.count)]
            + fields.flatMap { [$0.number, UInt8($0.base.size), $0.base.rawValue] }
        let local = shapes.firstIndex(of: shape) ?? shapes.count
        if local == shapes.count {
            precondition(local < 16, "a message has its shape whatever is known")
            shapes.append(shape)
            data.uint8(Self.isDefinition | UInt8(local))
            // Reserved; little endian.
            data.append([0, 0] + shape)
        }
        data.uint8(UInt8(local))
        for field in fields {
            let value = field.base.valid(field.value)
            switch field.base.size {
            case 1: data.uint8(UInt8(value))
            case 2: data.uint16(UInt16(value))
            default: data.uint32(UInt32(value))
            }
        }
    }

    /// Returns the complete file.
    func finish() -> [UInt8] {
        var file = ByteWriter()
        file.append([Self.headerSize, Self.protocolVersion])
        file.uint16(Self.profileVersion)
        file.uint32(UInt32(data.bytes.count))
        file.append(".FIT".utf8)
        file.uint16(Self.checksum(file.bytes))
        file.append(data.bytes)
        file.uint16(Self.checksum(file.bytes))
        return file.bytes
    }

    /// CRC-16 with the reflected polynomial 0xA001, starting from 0.
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(into: 0) { crc, byte in
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xA001 }
        }
    }
}
