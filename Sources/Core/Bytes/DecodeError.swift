/// Why bytes could not be decoded; the caller counts it and drops them.
@frozen public enum DecodeError: Error, Hashable, Sendable {
    /// Shorter than the shortest documented layout: bytes needed from the start, bytes there.
    case truncated(needed: Int, had: Int)
    /// No layout is known for this characteristic, or for this identifier inside 0x0080.
    case unknownCharacteristic(UInt16)
}

extension DecodeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let needed, let had): "needs \(needed) bytes, has \(had)"
        case .unknownCharacteristic(let id):
            "no decoder for characteristic 0x"
                + hexadecimal(id > 0xFF ? [UInt8(id >> 8), UInt8(id & 0xFF)] : [UInt8(id)])
                .uppercased()
        }
    }
}
