import Contract

/// A record in a paginated list.
package struct PagedRecord: Equatable, Sendable {
    package var mark: RecordCursor
    /// As published, without `historical`.
    package var stored: [UInt8]
}

/// The position after a record in a session's list: its time, number and row.
package struct RecordCursor: Equatable, Sendable {
    package var unixMilliseconds: Int64
    package var sequence: Int64
    package var row: Int64

    package init(unixMilliseconds: Int64, sequence: Int64, row: Int64) {
        (self.unixMilliseconds, self.sequence, self.row) = (unixMilliseconds, sequence, row)
    }
}
