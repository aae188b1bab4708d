/// Why bytes could not be decoded. The caller counts the error and drops the bytes.
@frozen public enum DecodeError: Error, Hashable, Sendable {
    /// Shorter than the shortest documented layout, with the required and the actual length from the start.
    case truncated(needed: Int, had: Int)
    /// No layout is known for this characteristic or identifier inside 0x0080.
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
