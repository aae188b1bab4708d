/// The bytes that frame CSAFE, and the escape that keeps them out of the content.
///
/// F0 to F3 inside contents, addresses and checksum travel as F3 00 to F3 03; flags never do.
/// Source: Concept2 CSAFE definition rev 0.25, frame structure.
package enum ByteStuffing {
    /// Begins a frame with addresses.
    package static let extendedStart: UInt8 = 0xF0
    /// Begins a frame without.
    package static let standardStart: UInt8 = 0xF1
    /// Ends either.
    package static let stop: UInt8 = 0xF2
    /// Announces the code of a reserved byte.
    package static let escape: UInt8 = 0xF3

    private static let reserved = extendedStart...escape

    /// Bytes `byte` takes on the wire: 1 or 2.
    package static func length(of byte: UInt8) -> Int {
        reserved.contains(byte) ? 2 : 1
    }

    /// Appends `byte` as it travels.
    package static func append(_ byte: UInt8, to wire: inout [UInt8]) {
        if reserved.contains(byte) {
            wire.append(escape)
            wire.append(byte - extendedStart)
        } else {
            wire.append(byte)
        }
    }

    /// The byte that `code` stands for behind an escape; nil for anything but 00 to 03.
    package static func unstuffed(_ code: UInt8) -> UInt8? {
        code <= escape - extendedStart ? extendedStart + code : nil
    }
}
