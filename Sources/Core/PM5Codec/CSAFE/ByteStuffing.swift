/// The reserved bytes of CSAFE frames, and their escape codes.
///
/// Inside contents, addresses and checksum, F0 to F3 are encoded as F3 00 to F3 03. Flags are never
/// escaped. Source: Concept2 CSAFE definition rev 0.25, frame structure.
package enum ByteStuffing {
    /// Begins a frame with addresses.
    package static let extendedStart: UInt8 = 0xF0
    /// Begins a frame without addresses.
    package static let standardStart: UInt8 = 0xF1
    /// Ends a frame.
    package static let stop: UInt8 = 0xF2
    /// Precedes the code of a reserved byte.
    package static let escape: UInt8 = 0xF3

    private static let reserved = extendedStart...escape

    /// The number of encoded bytes of `byte`: 1 or 2.
    package static func length(of byte: UInt8) -> Int {
        reserved.contains(byte) ? 2 : 1
    }

    /// Appends the encoded `byte`.
    package static func append(_ byte: UInt8, to wire: inout [UInt8]) {
        if reserved.contains(byte) {
            wire.append(escape)
            wire.append(byte - extendedStart)
        } else {
            wire.append(byte)
        }
    }

    /// The byte for an escape code; nil for other codes than 00 to 03.
    package static func unstuffed(_ code: UInt8) -> UInt8? {
        code <= escape - extendedStart ? extendedStart + code : nil
    }
}
