import Bytes

/// How a payload travels; some layouts differ between the two.
package enum Carrier: Hashable, Sendable, CaseIterable {
    /// In the notification of its own characteristic.
    case dedicated
    /// Inside 0x0080, behind the identifier byte.
    case multiplexed
}

/// A characteristic value: bytes to wire integers and back.
///
/// Fields keep the integers of the wire, unit last in the name. Where the wire has a value for
/// "none", a second accessor, `known...`, is nil for it. `BitwiseCopyable` has the compiler prove
/// that a payload holds no reference, so decoding one allocates nothing.
///
/// Decoders are always inlined, into the one switch over all of them: a reader whose address is
/// passed on has to live in memory, which doubles the cost (Tests/Benchmarks).
package protocol CharacteristicPayload: Hashable, Sendable, BitwiseCopyable {
    static var characteristic: CharacteristicID { get }

    /// Reads the layout of `carrier`; bytes that follow it stay unread.
    ///
    /// Throws `DecodeError.truncated` when shorter than the shortest documented layout.
    init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError)

    /// Appends the layout of `carrier`, without the identifier byte of 0x0080.
    ///
    /// A field that came with later firmware and is nil here gives the older, shorter layout.
    func encode(into writer: inout ByteWriter, carrier: Carrier)

    /// The values under their published names, unit last, at the resolution of the wire; the same
    /// by either carrier.
    var fields: [Field] { get }
}

extension CharacteristicPayload {
    /// The value of a notification: with the identifier byte in front when multiplexed.
    package func notificationBytes(carrier: Carrier) -> [UInt8] {
        var writer = ByteWriter()
        if carrier == .multiplexed {
            writer.uint8(UInt8(truncatingIfNeeded: Self.characteristic.rawValue))
        }
        encode(into: &writer, carrier: carrier)
        return writer.bytes
    }
}
