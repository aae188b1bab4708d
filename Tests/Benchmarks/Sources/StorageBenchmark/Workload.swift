/// The log entries of eight ergs in a second: 80 unchanged notifications, and 7 records.
struct Workload {
    /// A notification of 20 bytes with the journal's header; a record of a stroke or a
    /// force curve. Together some 6.2 KB.
    private static let (rawSize, recordSize) = (34, 494)
    static let recordsPerCommit = 87

    /// The records of one commit, other bytes in each.
    let records: [[UInt8]]

    init(number: Int) {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 | 1
        records = (0..<Self.recordsPerCommit).map { index in
            let size = index % 12 == 11 ? Self.recordSize : Self.rawSize
            return (0..<size).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state)
            }
        }
    }

    var payloadBytes: Int { records.reduce(0) { $0 + $1.count } }
}
