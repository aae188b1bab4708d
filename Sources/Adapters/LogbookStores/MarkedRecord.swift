import Contract

/// A record of a list that can go on behind it.
package struct MarkedRecord: Equatable, Sendable {
    package var mark: RecordMark
    /// As published, without `historical`.
    package var stored: [UInt8]
}

/// Where a list of a session's records goes on: the time of the record before, its number, and what the
/// store calls it.
package struct RecordMark: Equatable, Sendable {
    package var unixMilliseconds: Int64
    package var sequence: Int64
    package var row: Int64

    package init(unixMilliseconds: Int64, sequence: Int64, row: Int64) {
        (self.unixMilliseconds, self.sequence, self.row) = (unixMilliseconds, sequence, row)
    }
}
