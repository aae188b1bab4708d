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
