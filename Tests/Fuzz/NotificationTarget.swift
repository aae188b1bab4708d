import Bytes
import PM5Codec

// Input: the characteristic, then its value.
//
// Any value decodes or throws. Decoded values can be printed and encoded, and decode to the same value
// again.

@_cdecl("LLVMFuzzerTestOneInput")
public func notificationTarget(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let id = CharacteristicID(rawValue: UInt16(first))
    let value = UnsafeRawBufferPointer(rebasing: input.dropFirst())
    guard let decoded = try? DecodedNotification(characteristic: id, bytes: value) else { return 0 }
    let payload = decoded.value.payload
    precondition(!payload.fields.isEmpty)
    _ = FieldValue.object(payload.fields).json
    precondition(decoded.extraBytes < max(1, value.count))

    guard !isCut(decoded.value) else { return 0 }
    let bytes = payload.notificationBytes(carrier: decoded.carrier)
    let second = bytes.withUnsafeBytes { try? Notification(characteristic: id, bytes: $0) }
    precondition(second == decoded.value, "encoding lost something")
    return 0
}

/// A piece of a curve that 0x0080 cut keeps the count it announced, which fits no other length.
private func isCut(_ value: Notification) -> Bool {
    guard case .forceCurvePiece(let piece) = value else { return false }
    return piece.samples.count < piece.announcedCount
}
