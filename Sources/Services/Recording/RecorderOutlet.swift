import Contract

/// What the rest of the daemon is called for. Called on the log queue.
package struct RecorderOutlet: Sendable {
    /// Records were appended that the publisher may read.
    package var recordsAvailable: @Sendable () -> Void
    /// A retained message is to be replaced.
    package var retain: @Sendable (RetainedTopic, [UInt8]) -> Void
    /// Who sits at an erg, nil for nobody; told more often than it changes.
    package var seated: @Sendable (StationID, String?) -> Void
    /// The birth of the present connection is out of date: numbers belong to another epoch now.
    package var epochChanged: @Sendable () -> Void

    package init(
        recordsAvailable: @escaping @Sendable () -> Void,
        retain: @escaping @Sendable (RetainedTopic, [UInt8]) -> Void,
        seated: @escaping @Sendable (StationID, String?) -> Void = { _, _ in },
        epochChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.recordsAvailable = recordsAvailable
        self.retain = retain
        self.seated = seated
        self.epochChanged = epochChanged
    }
}
