import Contract
import DeliveryProof

/// Data that is committed together.
package struct StoreBatch: Sendable {
    /// In order of arrival.
    package var records: [ValidatedRecord] = []
    /// Changes of streams apart from their records.
    package var notes: [StoredStream: StreamNote] = [:]
    /// New states of sessions.
    package var states: [SessionName: SessionState] = [:]
    /// Status messages of gateways; each replaces the earlier one of its kind.
    package var statusMessages: [GatewayStatusMessage] = []
    /// Changes of the logbook's notices.
    package var notices = NoticeChanges()
    /// Refused records since the last batch.
    package var refusals: [RefusalCount] = []
    /// Unix milliseconds: the current time.
    package var now: Int64

    package init(records: [ValidatedRecord] = [], now: Int64) {
        self.records = records
        self.now = now
    }

    package var isEmpty: Bool {
        records.isEmpty && notes.isEmpty && states.isEmpty && statusMessages.isEmpty && notices.isEmpty
            && refusals.isEmpty
    }
}

/// Changes of a stream apart from its records.
package struct StreamNote: Equatable, Sendable {
    /// The first expected number: the first that the gateway had when it was first seen.
    package var begin: UInt64?
    /// The highest number that a message named.
    package var announced: UInt64 = 0
    /// Requested numbers that the gateway no longer had.
    package var gone: [ClosedRange<UInt64>] = []
    /// Numbers of refused records.
    package var refused = SequenceSet()

    package init() {}
}

// MARK: Results

/// The result of a commit.
package struct CommitReport: Equatable, Sendable {
    /// Records that were new.
    package var added = 0
    /// Repeated records with equal content.
    package var repeats = 0
    /// Repeated records with different content.
    package var conflicts = 0
    /// Those of the added records that belong to erased athletes; only their numbers are stored.
    package var forgotten = 0
    /// Sessions with a manifest and new records.
    package var sessions: Set<SessionName> = []

    package init() {}
}

/// The state of one stream in the store.
package struct StreamState: Equatable, Sendable {
    package var stream: StoredStream
    /// Stored numbers, removed ones included, and the expected range.
    package var extent: StreamExtent
    /// Requested numbers that the gateway no longer had.
    package var gone: SequenceSet
    /// Numbers of refused records; a valid record may still arrive.
    package var refused = SequenceSet()
    /// Numbers of records that were removed on purpose.
    package var removed: SequenceSet
    /// Number of repeated records with equal content.
    package var repeats: UInt64
    /// Number of repeated records with different content.
    package var conflicts: UInt64
}

/// A gateway's declaration of lost records.
package struct StoredDeclaration: Equatable, Sendable {
    /// The gateway, and the epoch of its ring.
    package var gateway: GatewayID
    package var epoch: String
    package var declaration: Declaration
}
