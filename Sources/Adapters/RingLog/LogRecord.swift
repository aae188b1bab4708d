/// A record as it was appended.
package struct LogRecord: Equatable, Sendable {
    /// Of its first byte; also the name that a cursor knows it by.
    package let position: LogPosition
    /// Behind the record: the cursor of a reader that is done with it.
    package let next: LogPosition
    /// One of ``LogFormat/callerKinds``.
    package let kind: UInt8
    /// As they were appended; verified.
    package let bytes: [UInt8]
}

/// A stretch of positions whose records, if it held any, are lost.
package struct LogGap: Equatable, Sendable {
    /// What became of the records.
    package enum Reason: Sendable {
        /// The writer came round and used the space again.
        case overwritten
        /// The bytes do not verify, although something later does.
        case damaged
    }

    /// The positions that are lost, whatever they held.
    package let range: Range<LogPosition>
    /// Overwriting is what a full ring does; damage is a fault of the medium.
    package let reason: Reason
}

/// What a reader meets, in order of position.
package enum LogItem: Equatable, Sendable {
    case record(LogRecord)
    case gap(LogGap)
}
