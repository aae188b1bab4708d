import Bytes
import PM5Codec
import Rowing
import Timeline

/// One record of the ring log on disk.
///
/// | field | width | content |
/// |---|---|---|
/// | tag | 1 | 1 message, 2 checkpoint, 3 notification |
/// | station | varint count, bytes | slug; empty for the gateway itself |
/// | message | 1, varint x 3, sized | stream kind, sequence, Unix ms, boot ms, payload |
/// | checkpoint | sized | `SessionCheckpoint` |
/// | notification | varint x 2, sized | characteristic, boot ms, value |
///
/// Readers ignore bytes after the last known field, and records with an unknown tag or stream kind:
/// a newer version wrote them.
package enum RingEntry: Equatable, Sendable {
    case message(DurableMessage)
    case checkpoint(station: StationID, bytes: [UInt8])
    case notification(RawNotification)
}

/// Kind of a ring record. The ring log itself does not parse its records.
package enum RingRecordKind {
    /// A `RingEntry`.
    package static let entry: UInt8 = 1
    /// The recorder's complete state, written when a session begins or ends.
    package static let state: UInt8 = 2
}

/// A numbered message in its stored form.
package struct DurableMessage: Equatable, Sendable {
    /// Kind of the stream that numbers the message.
    package var kind: StreamKind
    /// nil for a stream of the gateway.
    package var station: StationID?
    /// 1, 2, 3, ... per station and kind.
    package var sequence: UInt64
    /// Time of the event by the wall clock, which may have been wrong.
    package var unixMilliseconds: UInt64
    /// Time of the event by the boot clock.
    package var bootMilliseconds: UInt64
    /// JSON text.
    package var payload: [UInt8]

    package init(
        kind: StreamKind, station: StationID?, sequence: UInt64, unixMilliseconds: UInt64,
        bootMilliseconds: UInt64, payload: [UInt8]
    ) {
        self.kind = kind
        self.station = station
        self.sequence = sequence
        self.unixMilliseconds = unixMilliseconds
        self.bootMilliseconds = bootMilliseconds
        self.payload = payload
    }
}

/// A raw Bluetooth value, so that newer code can replay the session.
///
/// The characteristic tells the direction: 0x0021 was written to the monitor, 0x0011 to 0x0018 were read
/// from it, all others were notifications.
package struct RawNotification: Equatable, Sendable {
    /// The erg of the monitor.
    package var station: StationID
    /// The characteristic. For 0x0080 the bytes begin with the identifier of the multiplexed one.
    package var characteristic: CharacteristicID
    /// Boot time of the transfer.
    package var bootMilliseconds: UInt64
    /// The whole value, decodable or not.
    package var bytes: [UInt8]
}

/// A ring record with a valid checksum that is not a `RingEntry`.
package enum RingEntryError: Error, Equatable {
    /// The record ends within a field, or a number or slug is invalid. Offset from its first byte.
    case malformed(offset: Int)
}

extension RingEntry {
    fileprivate enum Tag: UInt8 {
        case message = 1
        case checkpoint
        case notification
    }

    /// Returns the encoded record.
    package func encode() -> [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// Appends the encoded record.
    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .message(let message):
            writer.header(.message, message.station)
            writer.uint8(message.kind.rawValue)
            writer.varint(message.sequence)
            writer.varint(message.unixMilliseconds)
            writer.varint(message.bootMilliseconds)
            writer.sized(message.payload)
        case .checkpoint(let station, let bytes):
            writer.header(.checkpoint, station)
            writer.sized(bytes)
        case .notification(let raw):
            raw.bytes.withUnsafeBytes {
                Self.encodeNotification(
                    of: raw.station, raw.characteristic, bootMilliseconds: raw.bootMilliseconds,
                    $0, into: &writer)
            }
        }
    }

    /// Appends the record of a notification without copying its value first.
    package static func encodeNotification(
        of station: StationID, _ characteristic: CharacteristicID, bootMilliseconds: UInt64,
        _ value: UnsafeRawBufferPointer, into writer: inout ByteWriter
    ) {
        writer.header(.notification, station)
        writer.varint(UInt64(characteristic.rawValue))
        writer.varint(bootMilliseconds)
        writer.sized(value)
    }

    /// Whether a record is a message, by its first byte. So readers can skip raw values quickly.
    package static func isMessage(_ bytes: [UInt8]) -> Bool { bytes.first == Tag.message.rawValue }

    /// Decodes a record; nil for an unknown kind, which a newer version wrote.
    package static func decode(_ bytes: [UInt8]) throws(RingEntryError) -> RingEntry? {
        let outcome = bytes.withUnsafeBytes { buffer -> Result<RingEntry?, RingEntryError> in
            do throws(RingEntryError) { return .success(try decode(buffer)) } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Decodes a record; nil for an unknown kind, which a newer version wrote.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer
    ) throws(RingEntryError) -> RingEntry? {
        var reader = ByteReader(bytes)
        guard let first = try? reader.uint8() else { throw .malformed(offset: 0) }
        guard let tag = Tag(rawValue: first) else { return nil }
        let station = try reader.station()
        switch tag {
        case .message:
            guard let code = try? reader.uint8() else { throw .malformed(offset: reader.offset) }
            guard let kind = StreamKind(rawValue: code) else { return nil }
            return .message(
                DurableMessage(
                    kind: kind, station: station, sequence: try reader.number(),
                    unixMilliseconds: try reader.number(), bootMilliseconds: try reader.number(),
                    payload: try reader.blob()))
        case .checkpoint:
            return .checkpoint(station: try reader.present(station), bytes: try reader.blob())
        case .notification:
            return .notification(
                RawNotification(
                    station: try reader.present(station),
                    characteristic: CharacteristicID(
                        rawValue: UInt16(try reader.number(below: 1 << 16))),
                    bootMilliseconds: try reader.number(), bytes: try reader.blob()))
        }
    }
}

extension ByteWriter {
    fileprivate mutating func header(_ tag: RingEntry.Tag, _ station: StationID?) {
        uint8(tag.rawValue)
        sized((station?.slug ?? "").utf8)
    }
}

extension ByteReader {
    fileprivate mutating func number(
        below limit: UInt64 = .max
    ) throws(RingEntryError) -> UInt64 {
        guard let value = varint(), value < limit || limit == .max else {
            throw .malformed(offset: offset)
        }
        return value
    }

    fileprivate mutating func blob() throws(RingEntryError) -> [UInt8] {
        guard let bytes = sized() else { throw .malformed(offset: offset) }
        return Array(bytes)
    }

    fileprivate mutating func station() throws(RingEntryError) -> StationID? {
        let slug = String(decoding: try blob(), as: UTF8.self)
        if slug.isEmpty { return nil }
        return try present(StationID(slug))
    }

    fileprivate func present(_ station: StationID?) throws(RingEntryError) -> StationID {
        guard let station else { throw .malformed(offset: offset) }
        return station
    }
}

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
