extension DurableMessage {
    /// The payload of an erased message: JSON that says so, filled up to the length there was.
    private static let tombstone = Array(#"{"erased":true"#.utf8)

    /// Whether the payload was erased: the message has its number, and nothing to say.
    package var isErased: Bool { payload.starts(with: Self.tombstone) }

    /// The same message without its payload, as long as before.
    package var erased: DurableMessage {
        var message = self
        let fill = payload.count - Self.tombstone.count - 1
        guard fill >= 0 else { return message }
        message.payload =
            Self.tombstone + [UInt8](repeating: UInt8(ascii: " "), count: fill)
            + [UInt8(ascii: "}")]
        return message
    }

    /// The same alert, as long as before, without the name of who has seen it; nil where that is not
    /// `name`.
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
    /// The same value with every byte 0.
    package var erased: RawNotification {
        var raw = self
        raw.bytes = [UInt8](repeating: 0, count: bytes.count)
        return raw
    }
}
