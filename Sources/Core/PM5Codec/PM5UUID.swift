/// The 128-bit UUIDs of the PM5, `ce06xxxx-43e5-11e4-916c-0800200c9a66`.
///
/// Source: Concept2 BLE definition rev 1.30, attribute tables.
package enum PM5UUID {
    private static let head = "ce06"
    private static let tail = "-43e5-11e4-916c-0800200c9a66"

    /// The full UUID in lower case, as BlueZ prints it.
    package static func text(_ id: CharacteristicID) -> String {
        let digits = String(id.rawValue, radix: 16)
        return head + String(repeating: "0", count: 4 - digits.count) + digits + tail
    }

    /// The 16-bit ID in a full UUID, upper or lower case; nil if it is not a Concept2 UUID.
    package static func id(_ text: String) -> CharacteristicID? {
        let lower = text.lowercased()
        guard lower.utf8.count == 36, lower.hasPrefix(head), lower.hasSuffix(tail) else {
            return nil
        }
        let digits = lower.dropFirst(head.count).prefix(4)
        guard digits.utf8.allSatisfy(isHexDigit), let value = UInt16(digits, radix: 16) else {
            return nil
        }
        return CharacteristicID(rawValue: value)
    }

    // `UInt16(_:radix:)` alone also accepts a sign.
    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
