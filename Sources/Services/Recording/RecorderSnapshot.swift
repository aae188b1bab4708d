import Contract

/// The ring at one moment.
package struct RecorderSnapshot: Equatable, Sendable {
    package var epoch: String
    package var path: String
    package var sizeBytes: Int
    /// Of the ring, 0...1: records that the broker does not have yet.
    package var usedFraction: Double
    package var backlog: Int
    /// Of the oldest record that the broker does not have yet; nil without a backlog.
    package var oldestUnpublishedAge: Duration?
    /// Of the oldest record that the ring holds; nil without one, and before it was looked for.
    package var reach: Duration?
    package var droppedTotal: UInt64
    /// Of the gateway's own streams; none of one that has no record yet.
    package var lastSequences: [StreamKind: UInt64] = [:]
    /// How long the disk has not answered; nil while nothing waits for it.
    package var diskBehind: Duration?
    /// The longest time in which records became durable, of the last hour.
    package var worstCommit: Duration?
    /// How long the last commit took; nil without one in the last half minute.
    package var lastCommit: Duration?
    /// Why records are in memory and not on disk; nil when all is well.
    package var failure: String?
}
