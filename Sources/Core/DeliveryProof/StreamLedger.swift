/// What one stream owed and what arrived of it.
///
/// Owed is everything from where the listener came in to the highest number heard of. It came in
/// with the first record that arrived; or, where none did, with the second `marks`: the first may
/// be a retained one, from before the subscription. What is named after `close` is not owed.
struct StreamLedger {
    private(set) var extent = StreamExtent()
    /// SHA-256 of each record's stored form.
    private var digests: [UInt64: String] = [:]
    /// Records that came once more, the same.
    private(set) var repeats = 0
    /// Numbers that came with two contents.
    private(set) var altered = SequenceSet()
    /// The highest number that was heard of when listening ended; nil until then.
    private var end: UInt64?

    /// Listening has ended: what was heard of so far is what has to be there.
    mutating func close() { end = extent.last }

    /// Whether it is a number that was heard of in time, as all are before `close`.
    func isInTime(_ sequence: UInt64) -> Bool { sequence <= end ?? .max }

    /// Takes in a record by the digest of its stored form; false when it is there already.
    mutating func take(_ sequence: UInt64, digest: String) -> Bool {
        if let known = digests[sequence] {
            if known == digest { repeats += 1 } else { altered.insert(sequence) }
            return false
        }
        digests[sequence] = digest
        if isInTime(sequence) { extent.take(sequence) }
        return true
    }

    /// The gateway named `sequence` as the last one given out.
    mutating func announce(_ sequence: UInt64) { extent.announce(min(sequence, end ?? .max)) }

    /// Everything from `sequence` on was to arrive.
    mutating func owe(from sequence: UInt64) { extent.owe(from: sequence) }
}
