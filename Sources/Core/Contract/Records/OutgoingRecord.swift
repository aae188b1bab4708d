/// A durable record for the broker.
package struct OutgoingRecord: Equatable, Sendable {
    /// Position in the log; increases from record to record over all streams.
    package var cursor: UInt64
    /// The stream that numbers it.
    package var stream: StreamID
    /// Number in the stream.
    package var sequence: UInt64
    /// The stored form, see `RecordEncoder`.
    package var payload: [UInt8]

    package init(
        cursor: UInt64, station: StationID?, kind: StreamKind, sequence: UInt64, payload: [UInt8]
    ) {
        self.cursor = cursor
        stream = StreamID(station: station, kind: kind)
        self.sequence = sequence
        self.payload = payload
    }

    /// Epoch of its number. A ring can hold records of several epochs.
    package var epoch: String { StoredRecord.text(of: "epoch", in: payload) ?? "" }
}

/// A batch of records read from the log.
package struct RecordBatch: Equatable, Sendable {
    /// In log order.
    package var records: [OutgoingRecord]
    /// Cursor of the last entry read, including entries that are not published; nil if there was none.
    package var through: UInt64?

    package init(records: [OutgoingRecord], through: UInt64?) {
        self.records = records
        self.through = through
    }
}
