/// Expected and received records of one stream.
///
/// The expected range begins with the first received record, and ends with the highest number
/// received or announced. Without a record it begins with the second `marks`: the first may be a
/// retained one from before the subscription. Numbers after `close` are not expected.
struct StreamLedger {
    private(set) var extent = StreamExtent()
    /// SHA-256 of each record's stored form.
    private var digests: [UInt64: String] = [:]
    /// Count of identical duplicates.
    private(set) var repeats = 0
    /// Numbers that were received with two different contents.
    private(set) var altered = SequenceSet()
    /// The highest number received or announced at `close`; nil before.
    private var end: UInt64?

    /// Ends listening.
    mutating func close() { end = extent.last }

    /// Whether a number counts: true for all before `close`, then up to the highest number at `close`.
    func isInTime(_ sequence: UInt64) -> Bool { sequence <= end ?? .max }

    /// Inserts a record by the digest of its stored form. Returns false if its number is there already.
    mutating func insert(_ sequence: UInt64, digest: String) -> Bool {
        if let known = digests[sequence] {
            if known == digest { repeats += 1 } else { altered.insert(sequence) }
            return false
        }
        digests[sequence] = digest
        if isInTime(sequence) { extent.receive(sequence) }
        return true
    }

    /// The gateway announced `sequence` as its last number.
    mutating func announce(_ sequence: UInt64) { extent.announce(min(sequence, end ?? .max)) }

    /// Expects all numbers from `sequence` on.
    mutating func expect(from sequence: UInt64) { extent.expect(from: sequence) }
}
