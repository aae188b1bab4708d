/// The constants of LogFormat.md.
package enum LogFormat {
    /// The version this code writes, and the highest it reads.
    package static let version: UInt32 = 1
    /// Bytes a superblock, a segment header and every block start and end on.
    package static let pageSize = 4096
    /// Bytes in a block at most: also the bytes that positions can have run ahead of the medium.
    package static let maximumBlockSize = 65536
    /// Bytes in a record at most, which is what its two length bytes can say; small rings take less
    /// (`LogGeometry`). More would be another format, with another `version`.
    static let maximumPayload = 16383
    /// Kinds that callers may use; the others belong to the log.
    package static let callerKinds: ClosedRange<UInt8> = 1...239

    static let consumedKind: UInt8 = 240
    static let closedKind: UInt8 = 241

    static func pageUp(_ value: UInt64) -> UInt64 {
        (value + UInt64(pageSize - 1)) & ~UInt64(pageSize - 1)
    }

    static func pageDown(_ value: UInt64) -> UInt64 { value & ~UInt64(pageSize - 1) }
}
