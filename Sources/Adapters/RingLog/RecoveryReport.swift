/// What opening a log for writing found.
package struct RecoveryReport: Equatable, Sendable {
    /// Whether there was a ring before.
    package enum Origin: Equatable, Sendable {
        /// The device was blank: a new ring, with the new epoch.
        case created
        case existing
    }

    /// Damaged stretches listed at most.
    package static let maximumListedGaps = 64

    package internal(set) var origin: Origin
    /// The last writer left in order, so nothing can be missing at the end.
    package internal(set) var wasClosed: Bool
    /// The newest snapshot; nil in a new ring.
    package internal(set) var snapshot: [UInt8]?
    /// What to read to bring the snapshot up to date: a ``LogReader`` from its lower bound reaches
    /// its upper bound.
    package internal(set) var tail: Range<LogPosition>
    package internal(set) var tailRecords = 0
    /// Damaged stretches within the tail.
    package internal(set) var gaps: [LogGap] = []
    /// Bytes of broken records in the page at the end of the tail: what a cut left of a write.
    package internal(set) var tornBytes = 0
    /// Positions that may have named records which are lost: written, but not durable when the
    /// power went. Never used again; empty after a close in order.
    package internal(set) var abandoned: Range<LogPosition>
    /// One of the two superblocks was damaged, and has been restored from the other.
    package internal(set) var repairedSuperblock = false
}
