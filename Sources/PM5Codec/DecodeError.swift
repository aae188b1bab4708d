/// Why a characteristic value could not be decoded; the caller counts it and drops the value.
package enum DecodeError: Error, Hashable, Sendable {
    /// Shorter than the shortest documented layout: bytes needed from the start, bytes there.
    case truncated(needed: Int, had: Int)
    /// No decoder for this characteristic, or for this identifier inside 0x0080.
    case unknownCharacteristic(CharacteristicID)
}

extension DecodeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated(let needed, let had): "needs \(needed) bytes, has \(had)"
        case .unknownCharacteristic(let id): "no decoder for characteristic \(id)"
        }
    }
}
