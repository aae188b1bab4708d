/// The result of opening a log for writing.
package struct RecoveryReport: Equatable, Sendable {
    /// Whether a ring existed.
    package enum Origin: Equatable, Sendable {
        /// The device was blank: a new ring with the new epoch.
        case created
        case existing
    }

    /// Maximum number of damaged ranges listed.
    package static let maximumListedGaps = 64

    package internal(set) var origin: Origin
    /// The last writer closed the log, so nothing can be missing at the end.
    package internal(set) var wasClosed: Bool
    /// The newest snapshot; nil in a new ring.
    package internal(set) var snapshot: [UInt8]?
    /// The records to read to bring the snapshot up to date: a ``LogReader`` from the lower bound
    /// reaches the upper bound.
    package internal(set) var tail: Range<LogPosition>
    package internal(set) var tailRecords = 0
    /// Damaged stretches within the tail.
    package internal(set) var gaps: [LogGap] = []
    /// Bytes of broken records in the page at the end of the tail: an interrupted write.
    package internal(set) var tornBytes = 0
    /// Positions of records that may be lost: written, but not durable at the power cut. Never used
    /// again; empty after a normal close.
    package internal(set) var abandoned: Range<LogPosition>
    /// One of the two superblocks was damaged and has been restored from the other.
    package internal(set) var repairedSuperblock = false
}
