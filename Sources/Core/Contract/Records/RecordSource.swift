/// Source of durable records for the publisher: the ring log.
package protocol RecordSource: Sendable {
    /// Returns the birth message for a new connection.
    func birth() async -> BirthNotice

    /// Returns up to `limit` records after `cursor`, in log order; nil starts after the last
    /// acknowledged cursor. Any cursor from the acknowledged one on may be read repeatedly.
    func records(after cursor: UInt64?, limit: Int) async -> RecordBatch

    /// Returns up to `limit` records of a replay, published or not.
    ///
    /// - Parameter cursor: `through` of the batch before; nil for the beginning of the range.
    func records(of request: ReplayRequest, after cursor: UInt64?, limit: Int) async -> ReplayBatch

    /// The record exceeds the broker's maximum packet size. The source declares it as dropped.
    func tooLong(_ record: OutgoingRecord) async

    /// All records up to `cursor` are done, and the log may overwrite them. `cursor` never decreases.
    func acknowledged(through cursor: UInt64) async
}

/// The first message of a connection.
package struct BirthNotice: Equatable, Sendable {
    /// The `birth` message.
    package var payload: [UInt8]
    /// Its `next_seq`: a record below it is historical on this connection.
    package var nextSequences: [StreamID: UInt64]

    package init(payload: [UInt8], nextSequences: [StreamID: UInt64]) {
        self.payload = payload
        self.nextSequences = nextSequences
    }
}

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
