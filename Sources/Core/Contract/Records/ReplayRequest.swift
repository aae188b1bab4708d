import Bytes

/// Records of one stream that somebody wants once more: the command `replay`.
package struct ReplayRequest: Equatable, Sendable {
    /// Its last level in the topics of commands and replies.
    package static let verb = "replay"

    /// Whose records.
    package var stream: StreamID
    /// First and last number wanted, from 1.
    package var sequences: ClosedRange<UInt64>

    package init(stream: StreamID, sequences: ClosedRange<UInt64>) {
        self.stream = stream
        self.sequences = sequences
    }

    /// The command's payload.
    package func payload(id: String) -> [UInt8] {
        JSONWriter.object { json in
            json.field("request_id", id)
            json.field("erg", stream.station?.slug)
            json.field("kind", stream.kind.topicName)
            json.field("from_seq", sequences.lowerBound)
            json.field("to_seq", sequences.upperBound)
        }
    }
}

/// What became of a replay.
package struct ReplayOutcome: Equatable, Sendable {
    /// How far it came.
    package enum Ending: Equatable, Sendable {
        /// Whatever the log holds of the range was published.
        case complete
        /// The broker refused a record, with this reason of 0x80 or more; the rest was not tried.
        case brokerRefused(reason: UInt8)
        /// The log could not be read to the end of the range.
        case unreadable
        /// As many replays as may wait did so already: nothing was done.
        case busy
        /// The gateway stops: the rest was not tried.
        case stopped
    }

    /// How far it came.
    package var ending: Ending
    /// Records that the broker took.
    package var published = 0
    /// Those of them that nobody subscribes to, as far as the broker told.
    package var unsubscribed = 0
    /// Numbers of the range that were given out and that the log does not hold; in order. Empty
    /// unless the ending is `complete`.
    package var gone: [ClosedRange<UInt64>] = []
    /// The last number of the stream that was given out; 0 for none. What was asked for beyond it
    /// is yet to come.
    package var lastSequence: UInt64 = 0

    package init(ending: Ending) { self.ending = ending }
}

/// A stretch of the log, looked through for a replay.
package struct ReplayBatch: Equatable, Sendable {
    /// Records of the range, in the order of their numbers.
    package var records: [OutgoingRecord]
    /// Where to look on; nil when nothing that follows can belong to the range.
    package var through: UInt64?
    /// The last number of the stream that was given out; 0 for none.
    package var lastSequence: UInt64
    /// Whether reading failed; `through` is nil then.
    package var isUnreadable = false

    package init(records: [OutgoingRecord], through: UInt64?, lastSequence: UInt64) {
        self.records = records
        self.through = through
        self.lastSequence = lastSequence
    }
}
