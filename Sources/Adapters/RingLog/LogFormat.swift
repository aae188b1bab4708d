/// The constants of LogFormat.md.
package enum LogFormat {
    /// The version this code writes, and the highest it reads.
    package static let version: UInt32 = 1
    /// The alignment of superblocks, segment headers and blocks, in bytes.
    package static let pageSize = 4096
    /// Maximum bytes in a block. Positions can be ahead of the medium by at most this many bytes.
    package static let maximumBlockSize = 65536
    /// Maximum bytes in a record, limited by its two length bytes; small rings accept less
    /// (`LogGeometry`). A larger limit needs another format `version`.
    static let maximumPayload = 16383
    /// Kinds that callers may use; the log itself uses the others.
    package static let callerKinds: ClosedRange<UInt8> = 1...239

    static let consumedKind: UInt8 = 240
    static let closedKind: UInt8 = 241

    static func pageUp(_ value: UInt64) -> UInt64 {
        (value + UInt64(pageSize - 1)) & ~UInt64(pageSize - 1)
    }

    static func pageDown(_ value: UInt64) -> UInt64 { value & ~UInt64(pageSize - 1) }
}
