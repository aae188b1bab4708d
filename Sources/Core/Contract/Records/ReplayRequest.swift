import Bytes

/// The command `replay`: publish a range of one stream's records again.
package struct ReplayRequest: Equatable, Sendable {
    /// Last level of the command and reply topics.
    package static let verb = "replay"

    package var stream: StreamID
    /// First and last number, from 1.
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

/// Result of a replay.
package struct ReplayOutcome: Equatable, Sendable {
    /// Why the replay ended.
    package enum Ending: Equatable, Sendable {
        /// All records that the log has of the range were published.
        case complete
        /// The broker refused a record, with this reason code of 0x80 or more; the rest was not tried.
        case brokerRefused(reason: UInt8)
        /// The log could not be read to the end of the range.
        case unreadable
        /// Too many replays are pending: nothing was published.
        case busy
        /// The gateway stops; the rest was not tried.
        case stopped
    }

    /// Why the replay ended.
    package var ending: Ending
    /// Records that the broker accepted.
    package var published = 0
    /// Published records without a subscriber, as far as the broker reported.
    package var unsubscribed = 0
    /// Assigned numbers of the range that the log does not have, in order. Empty unless the ending is
    /// `complete`.
    package var gone: [ClosedRange<UInt64>] = []
    /// Last assigned number of the stream; 0 for none. Later numbers of the range do not exist yet.
    package var lastSequence: UInt64 = 0

    package init(ending: Ending) { self.ending = ending }
}

/// A batch of records for a replay.
package struct ReplayBatch: Equatable, Sendable {
    /// Records of the range, in the order of their numbers.
    package var records: [OutgoingRecord]
    /// Cursor for the next batch; nil if the range is complete.
    package var through: UInt64?
    /// Last assigned number of the stream; 0 for none.
    package var lastSequence: UInt64
    /// Whether reading failed; `through` is nil then.
    package var isUnreadable = false

    package init(records: [OutgoingRecord], through: UInt64?, lastSequence: UInt64) {
        self.records = records
        self.through = through
        self.lastSequence = lastSequence
    }
}
