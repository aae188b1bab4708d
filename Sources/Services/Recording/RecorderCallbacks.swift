import Contract

/// Callbacks into the rest of the daemon, on the log queue.
package struct RecorderCallbacks: Sendable {
    /// Records were appended that the publisher may read.
    package var recordsAvailable: @Sendable () -> Void
    /// A retained message must be replaced.
    package var retain: @Sendable (RetainedTopic, [UInt8]) -> Void
    /// The athlete assigned to an erg, nil for none; also called without a change.
    package var assignmentChanged: @Sendable (StationID, String?) -> Void
    /// The birth of the current connection is outdated: numbers belong to another epoch now.
    package var epochChanged: @Sendable () -> Void

    package init(
        recordsAvailable: @escaping @Sendable () -> Void,
        retain: @escaping @Sendable (RetainedTopic, [UInt8]) -> Void,
        assignmentChanged: @escaping @Sendable (StationID, String?) -> Void = { _, _ in },
        epochChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.recordsAvailable = recordsAvailable
        self.retain = retain
        self.assignmentChanged = assignmentChanged
        self.epochChanged = epochChanged
    }
}
