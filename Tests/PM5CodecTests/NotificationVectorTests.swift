import Bytes
import PM5Codec
import Testing

@Suite struct NotificationVectorTests {
    @Test func decodesEveryField() throws {
        // Each named field of each vector must match independent decoders, within half a count of its last
        // decimal.
        for vector in try Vector.all(in: "notify.jsonl") {
            let decoded = vector.decoded
            if vector.expect["too_short"] != nil {
                #expect(throws: DecodeError.self, "\(vector.id)") { try decoded.get() }
                continue
            }
            var expected = vector.expect
            if vector.carrierID == .additionalStatus1, vector.bytes.count == 16 {
                // Old firmware has no machine type; one source pads it with a zero.
                #expect(vector.singleSourceFields == ["erg_machine_type"], "\(vector.id)")
                expected["erg_machine_type"] = nil
            }
            let fields = try decoded.get().value.payload.fields
            #expect(disagreements(fields, expected) == [], "\(vector.id)")
        }
    }

    @Test func encodesEveryVector() throws {
        // Decodes, encodes, and compares with the captured bytes, except for bytes that no documented
        // layout explains.
        for vector in try Vector.all(in: "notify.jsonl") where vector.expect["too_short"] == nil {
            let decoded = try vector.decoded.get()
            let bytes = decoded.value.payload.notificationBytes(carrier: decoded.carrier)
            #expect(bytes == Array(vector.bytes.dropLast(decoded.extraBytes)), "\(vector.id)")
        }
    }
}

extension Vector {
    /// The notifying characteristic: 0x80 for `0x80:0x31`.
    var carrierID: CharacteristicID {
        let digits = characteristic.split(separator: ":")[0].dropFirst(2)
        return CharacteristicID(rawValue: UInt16(digits, radix: 16) ?? 0)
    }

    var decoded: Result<DecodedNotification, DecodeError> {
        decode(carrierID, bytes)
    }
}

/// Decodes like the notification path, with the error as a value.
func decode(
    _ id: CharacteristicID, _ bytes: [UInt8]
) -> Result<DecodedNotification, DecodeError> {
    bytes.withUnsafeBytes { pointer in
        do throws(DecodeError) {
            return .success(try DecodedNotification(characteristic: id, bytes: pointer))
        } catch {
            return .failure(error)
        }
    }
}
