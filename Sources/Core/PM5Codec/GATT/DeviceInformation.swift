import Bytes

/// The readable values of the device information service, 0x0011 to 0x0018.
///
/// Strings are ASCII; model, firmware and manufacturer are padded with NUL to a fixed length. Source:
/// Concept2 BLE definition rev 1.30, device information service.
package enum DeviceInformation {
    /// The string of 0x0011 to 0x0015, up to the first NUL.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Encodes a string as the monitor does; nil for IDs without a string, or if it is too long.
    package static func bytes(_ text: String, for id: CharacteristicID) -> [UInt8]? {
        guard let length = length(of: id), text.utf8.count <= length else { return nil }
        return Array(text.utf8) + repeatElement(0, count: length - text.utf8.count)
    }

    /// The number of 0x0017 and 0x0018 in bytes, little-endian.
    package static func number(
        decoding reader: inout ByteReader
    ) throws(DecodeError) -> UInt16 {
        try reader.uint16()
    }

    private static func length(of id: CharacteristicID) -> Int? {
        switch id {
        case .modelNumber, .manufacturerName: 16
        case .serialNumber: 9
        case .hardwareRevision: 3
        case .firmwareRevision: 20
        default: nil
        }
    }
}
