import Bytes

/// The carrier of a payload. Some layouts depend on it.
package enum Carrier: Hashable, Sendable, CaseIterable {
    /// In a notification of the characteristic itself.
    case dedicated
    /// In 0x0080, after the identifier byte.
    case multiplexed
}

/// A characteristic value, decoded to the integers of the protocol and encoded again.
///
/// Properties have the protocol's integers, with the unit at the end of the name. If the protocol has a
/// value for "none", a second property, `known...`, is nil for it. `BitwiseCopyable` makes the compiler
/// check that a payload has no reference, so decoding one allocates nothing.
///
/// Decoders are always inlined into the single switch over all of them. If the address of a reader is
/// passed on, the reader must be in memory, which doubles the cost (Tests/Benchmarks).
package protocol CharacteristicPayload: Hashable, Sendable, BitwiseCopyable {
    static var characteristic: CharacteristicID { get }

    /// Reads the layout of `carrier`; following bytes stay unread.
    ///
    /// - Throws: `DecodeError.truncated` if shorter than the shortest documented layout.
    init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError)

    /// Appends the layout of `carrier`, without the identifier byte of 0x0080.
    ///
    /// If a field of later firmware is nil, the older, shorter layout is used.
    func encode(into writer: inout ByteWriter, carrier: Carrier)

    /// The values under their published names, unit last, at the resolution of the protocol; the same with
    /// either carrier.
    var fields: [Field] { get }
}

extension CharacteristicPayload {
    /// The value of a notification, with a leading identifier byte when multiplexed.
    package func notificationBytes(carrier: Carrier) -> [UInt8] {
        var writer = ByteWriter()
        if carrier == .multiplexed {
            writer.uint8(UInt8(truncatingIfNeeded: Self.characteristic.rawValue))
        }
        encode(into: &writer, carrier: carrier)
        return writer.bytes
    }
}
