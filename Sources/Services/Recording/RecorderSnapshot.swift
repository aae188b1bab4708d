import Contract

/// The state of the ring at one moment.
package struct RecorderSnapshot: Equatable, Sendable {
    package var epoch: String
    package var path: String
    package var sizeBytes: Int
    /// The part of the ring, 0...1, with records that the broker does not have.
    package var usedFraction: Double
    package var backlog: Int
    /// The age of the oldest record that the broker does not have; nil without a backlog.
    package var oldestUnpublishedAge: Duration?
    /// The age of the oldest record in the ring; nil without one, and before it was looked up.
    package var reach: Duration?
    package var droppedTotal: UInt64
    /// The last numbers of the gateway's own streams that have records.
    package var lastSequencesOfGateway: [StreamKind: UInt64] = [:]
    /// Time since the oldest unfinished disk operation started; nil without one.
    package var diskDelay: Duration?
    /// The longest commit of the last hour.
    package var worstCommit: Duration?
    /// The duration of the last commit; nil without one in the last half minute.
    package var lastCommit: Duration?
    /// Why records are in memory and not on disk; nil if the disk works.
    package var failure: String?
}
