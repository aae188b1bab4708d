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
