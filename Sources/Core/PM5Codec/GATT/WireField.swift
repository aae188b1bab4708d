import Bytes

/// One field of a payload: the bytes that it is written as, and what is printed of it.
package struct WireField {
    private let number: UInt64
    /// 0 for what is printed and not written.
    private let width: Int
    /// Empty for what is written and not printed.
    let printed: [Field]

    private init(_ number: UInt64, width: Int, printed: [Field]) {
        self.number = number
        self.width = width
        self.printed = printed
    }

    /// - Parameter isCarried: whether the field is there, for the few that one carrier alone has,
    ///   and for those that later firmware appended.
    /// - Parameter none: written for nil, which is not printed.
    private static func number(
        _ value: (some UnsignedInteger)?, width: Int, _ name: String, decimals: Int = 0,
        ifCarried isCarried: Bool = true, none: UInt64 = 0
    ) -> WireField {
        WireField(
            value.map { UInt64($0) } ?? none, width: isCarried ? width : 0,
            printed: value.map { [Field(name, $0, decimals: decimals)] } ?? [])
    }

    static func uint8(_ value: UInt8, _ name: String, decimals: Int = 0) -> WireField {
        number(value, width: 1, name, decimals: decimals)
    }

    static func uint16(_ value: UInt16, _ name: String, decimals: Int = 0) -> WireField {
        number(value, width: 2, name, decimals: decimals)
    }

    static func uint16(
        _ value: UInt16?, _ name: String, decimals: Int = 0, ifCarried isCarried: Bool,
        none: UInt16
    ) -> WireField {
        number(
            value, width: 2, name, decimals: decimals, ifCarried: isCarried, none: UInt64(none))
    }

    /// A three-byte number; `value` must be below 2^24.
    static func uint24(_ value: UInt32, _ name: String, decimals: Int = 0) -> WireField {
        precondition(value < 1 << 24, "a three-byte field cannot carry \(value)")
        return number(value, width: 3, name, decimals: decimals)
    }

    static func uint32(_ value: UInt32, _ name: String) -> WireField {
        number(value, width: 4, name)
    }

    /// An enumeration, printed as its number on the wire.
    static func code(_ value: WireCode<some WireEnumeration>, _ name: String) -> WireField {
        number(value.rawValue, width: 1, name)
    }

    static func code<Code: WireEnumeration>(
        _ value: Code?, _ name: String, ifCarried isCarried: Bool, none: Code
    ) -> WireField {
        number(
            value?.rawValue, width: 1, name, ifCarried: isCarried, none: UInt64(none.rawValue))
    }

    /// The machine type, which later firmware appended: left out where it is nil.
    static func machine(_ value: WireCode<ErgMachineType>?) -> WireField {
        number(value?.rawValue, width: 1, "erg_machine_type", ifCarried: value != nil)
    }

    /// Bytes that are not printed, or in another way than as one number.
    static func bytes(of number: UInt64, width: Int, printed: Field...) -> WireField {
        WireField(number, width: width, printed: printed)
    }

    /// What the field before it means: printed, not written.
    static func meaning(_ field: Field) -> WireField {
        WireField(0, width: 0, printed: [field])
    }

    /// Appends the bytes, least significant first.
    func encode(into writer: inout ByteWriter) {
        for index in 0..<width {
            writer.uint8(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))))
        }
    }
}
