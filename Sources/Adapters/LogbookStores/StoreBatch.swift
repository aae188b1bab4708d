import Contract
import DeliveryProof

/// What is made durable together.
package struct StoreBatch: Sendable {
    /// In the order of their arrival.
    package var records: [KeptRecord] = []
    /// What was learnt of streams besides.
    package var notes: [StoredStream: StreamNote] = [:]
    /// What became of sessions.
    package var states: [SessionName: SessionState] = [:]
    /// What gateways said of themselves: of each kind the last takes the place of the one before.
    package var words: [GatewayWord] = []
    /// What the logbook has to say by itself.
    package var notices = NoticeChanges()
    /// Refused records since the last batch.
    package var refusals: [RefusalCount] = []
    /// Unix milliseconds: when this is.
    package var now: Int64

    package init(records: [KeptRecord] = [], now: Int64) {
        self.records = records
        self.now = now
    }

    package var isEmpty: Bool {
        records.isEmpty && notes.isEmpty && states.isEmpty && words.isEmpty && notices.isEmpty
            && refusals.isEmpty
    }
}

/// What is known of a stream besides its records.
package struct StreamNote: Equatable, Sendable {
    /// The first number that is owed: what the gateway had when it was first heard.
    package var begin: UInt64?
    /// The highest number that a message named.
    package var announced: UInt64 = 0
    /// Numbers that the gateway, asked for them, no longer had.
    package var gone: [ClosedRange<UInt64>] = []
    /// Numbers whose records came and were refused.
    package var refused = SequenceSet()

    package init() {}
}

// MARK: What comes out

/// What a commit came to.
package struct CommitReport: Equatable, Sendable {
    /// Records that the store had not had.
    package var added = 0
    /// Records that it had already, the same.
    package var repeats = 0
    /// Records that it had with another content.
    package var conflicts = 0
    /// Of those that were added, such as belong to somebody who was forgotten: their numbers alone.
    package var forgotten = 0
    /// Sessions with a manifest whose records changed.
    package var sessions: Set<SessionName> = []

    package init() {}
}

/// One stream, as far as the store knows it.
package struct StreamState: Equatable, Sendable {
    /// Which one.
    package var stream: StoredStream
    /// Numbers that have been stored, removed ones included, and those that are owed.
    package var extent: StreamExtent
    /// Numbers that the gateway, asked for them, no longer had.
    package var gone: SequenceSet
    /// Numbers whose records came and were refused; a sound record of the number can still come.
    package var refused = SequenceSet()
    /// Numbers whose records were here, or had come, and were removed on purpose.
    package var removed: SequenceSet
    /// Records that came again, the same.
    package var repeats: UInt64
    /// Records that came again with another content.
    package var conflicts: UInt64
}

/// An event of a gateway that says what cannot come.
package struct StoredDeclaration: Equatable, Sendable {
    /// Who says so, and of which ring.
    package var gateway: GatewayID
    package var epoch: String
    package var declaration: Declaration
}
