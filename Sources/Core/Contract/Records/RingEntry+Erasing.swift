extension DurableMessage {
    /// Start of an erased payload; spaces fill it up to the original length.
    private static let tombstone = Array(#"{"erased":true"#.utf8)

    /// Whether the payload was erased. The message keeps its number.
    package var isErased: Bool { payload.starts(with: Self.tombstone) }

    /// The message with an erased payload of the same length.
    package var erased: DurableMessage {
        var message = self
        let padding = payload.count - Self.tombstone.count - 1
        guard padding >= 0 else { return message }
        message.payload =
            Self.tombstone + [UInt8](repeating: UInt8(ascii: " "), count: padding)
            + [UInt8(ascii: "}")]
        return message
    }

    /// The alert without `acknowledged_by`, of the same length; nil if that is not `name`.
    package func withoutAcknowledger(_ name: String) -> DurableMessage? {
        guard kind == .alert,
            let rest = StoredRecord.withoutAcknowledger(name, in: payload)
        else { return nil }
        var message = self
        message.payload = rest
        return message
    }
}

extension RawNotification {
    /// The value with all bytes 0.
    package var erased: RawNotification {
        var raw = self
        raw.bytes = [UInt8](repeating: 0, count: bytes.count)
        return raw
    }
}
