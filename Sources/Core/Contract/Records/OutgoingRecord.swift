/// One durable record on its way to the broker.
package struct OutgoingRecord: Equatable, Sendable {
    /// Place in the log; grows from record to record over all streams.
    package var cursor: UInt64
    /// The stream it is numbered in.
    package var stream: StreamID
    /// Its number there.
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

    /// Of the ring that numbered it: a ring can hold records of several epochs.
    package var epoch: String { StoredRecord.text(of: "epoch", in: payload) ?? "" }
}

/// What a look into the log brought.
package struct RecordBatch: Equatable, Sendable {
    /// In log order.
    package var records: [OutgoingRecord]
    /// How far the log was looked through, entries that are not published included; nil when
    /// nothing at all followed.
    package var through: UInt64?

    package init(records: [OutgoingRecord], through: UInt64?) {
        self.records = records
        self.through = through
    }
}
