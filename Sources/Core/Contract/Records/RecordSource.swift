/// Where durable records come from: the ring log, behind the daemon.
package protocol RecordSource: Sendable {
    /// The birth of a connection that has just been made, asked for anew each time.
    func birth() async -> BirthNotice

    /// Up to `limit` records after `cursor`, in log order; nil starts behind the last cursor that
    /// was acknowledged.
    ///
    /// Any cursor at or after the acknowledged one may be asked for again.
    func records(after cursor: UInt64?, limit: Int) async -> RecordBatch

    /// Up to `limit` records of a range that somebody wants again, published or not.
    ///
    /// - Parameter cursor: `through` of the batch before; nil for the beginning of the range.
    func records(of request: ReplayRequest, after cursor: UInt64?, limit: Int) async -> ReplayBatch

    /// The broker takes no message as long as this record: subscribers are to be told that it never
    /// comes.
    func tooLong(_ record: OutgoingRecord) async

    /// Every record up to `cursor` is settled: the log may let go of it. It never goes back.
    func acknowledged(through cursor: UInt64) async
}

/// What a connection opens with.
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
