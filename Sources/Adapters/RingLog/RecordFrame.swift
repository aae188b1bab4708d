/// A record in its block: LogFormat.md, Record.
struct RecordFrame: Equatable {
    static let maximumHeaderSize = 7
    /// Bytes of a record without payload.
    static let minimumSize = 6

    let kind: UInt8
    /// The range of the payload, counted from the first byte of the record.
    let payload: Range<Int>

    /// Bytes of the whole record.
    var size: Int { payload.upperBound }

    static func size(payload count: Int) -> Int { headerSize(payload: count) + count }

    private static func headerSize(payload count: Int) -> Int { count < 0x80 ? 6 : 7 }

    /// Returns the unverified header at the start of `bytes`; nil if `bytes` cannot begin with a
    /// record.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> RecordFrame? {
        guard bytes.count >= minimumSize, bytes[0] != 0 else { return nil }
        var length = Int(bytes[1])
        if length >= 0x80 {
            // A two-byte length whose second byte is zero would be a second encoding of a short
            // length.
            guard (1..<0x80).contains(bytes[2]) else { return nil }
            length = length & 0x7F | Int(bytes[2]) << 7
        }
        let header = headerSize(payload: length)
        guard header + length <= bytes.count else { return nil }
        return RecordFrame(kind: bytes[0], payload: header..<header + length)
    }

    /// Whether the record at the start of `bytes` was appended at `position` and is unchanged.
    func verify(
        _ bytes: UnsafeRawBufferPointer, at position: LogPosition, seed: CRC32C
    ) -> Bool {
        let stored = bytes.littleEndian(at: payload.lowerBound - 4, as: UInt32.self)
        return stored == checksum(bytes, position, seed)
    }

    /// Writes a record to the start of `target` and returns its size.
    static func write(
        kind: UInt8, payload: UnsafeRawBufferPointer, at position: LogPosition, seed: CRC32C,
        into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        precondition(kind != 0, "a zero byte is where records end")
        precondition(payload.count <= LogFormat.maximumPayload, "two length bytes say no more")
        precondition(size(payload: payload.count) <= target.count, "a record lies in its block")
        let header = headerSize(payload: payload.count)
        target[0] = kind
        if header == 6 {
            target[1] = UInt8(payload.count)
        } else {
            target[1] = UInt8(payload.count & 0x7F | 0x80)
            target[2] = UInt8(payload.count >> 7)
        }
        let frame = RecordFrame(kind: kind, payload: header..<header + payload.count)
        target.part(frame.payload).copyMemory(from: payload)
        let checksum = frame.checksum(UnsafeRawBufferPointer(target), position, seed)
        target.store(checksum, at: header - 4)
        return frame.size
    }

    private func checksum(
        _ bytes: UnsafeRawBufferPointer, _ position: LogPosition, _ seed: CRC32C
    ) -> UInt32 {
        var crc = seed
        crc.update(position.rawValue)
        crc.update(bytes.part(0..<payload.lowerBound - 4))
        crc.update(bytes.part(payload))
        return crc.value
    }
}

/// An appended record.
package struct LogRecord: Equatable, Sendable {
    /// The position of its first byte; a cursor refers to the record by it.
    package let position: LogPosition
    /// The position behind the record: the cursor of a reader that has processed it.
    package let next: LogPosition
    /// One of ``LogFormat/callerKinds``.
    package let kind: UInt8
    /// The bytes as they were appended; verified.
    package let bytes: [UInt8]
}

/// A stretch of positions whose records, if it held any, are lost.
package struct LogGap: Equatable, Sendable {
    /// Why the records are missing.
    package enum Reason: Sendable {
        /// The writer has reused the space.
        case overwritten
        /// The bytes do not verify, although something later does.
        case damaged
    }

    /// The lost positions, whatever they held.
    package let range: Range<LogPosition>
    /// A full ring overwrites; damage is a fault of the medium.
    package let reason: Reason
}

/// An item that a reader returns, in order of position.
package enum LogItem: Equatable, Sendable {
    case record(LogRecord)
    case gap(LogGap)
}
