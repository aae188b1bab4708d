/// What one stream owed and what arrived of it.
///
/// Owed is everything from where the listener came in to the highest number heard of. It came in
/// with the first record that arrived; or, where none did, with the second `marks`: the first may
/// be a retained one, from before the subscription. What is named after `close` is not owed.
struct StreamLedger {
    private(set) var received = SequenceSet()
    /// SHA-256 of each record's stored form.
    private var digests: [UInt64: String] = [:]
    /// Records that came once more, the same.
    private(set) var repeats = 0
    /// Numbers that came with two contents.
    private(set) var altered = SequenceSet()
    /// Where the listener came in; nil while that is not known.
    private(set) var begin: UInt64?
    /// The highest number that a message of the gateway named.
    private(set) var announced: UInt64 = 0
    /// The highest number that was heard of when listening ended; nil until then.
    private var end: UInt64?

    /// Listening has ended: what was heard of so far is what has to be there.
    mutating func close() { end = max(announced, received.last ?? 0) }

    /// Whether it is a number that was heard of in time, as all are before `close`.
    func isInTime(_ sequence: UInt64) -> Bool { sequence <= end ?? .max }

    /// Takes in a record by the digest of its stored form; false when it is there already.
    mutating func take(_ sequence: UInt64, digest: String) -> Bool {
        if let known = digests[sequence] {
            if known == digest { repeats += 1 } else { altered.insert(sequence) }
            return false
        }
        digests[sequence] = digest
        guard isInTime(sequence) else { return true }
        received.insert(sequence)
        if begin == nil { begin = sequence }
        return true
    }

    /// The gateway named `sequence` as the last one given out.
    mutating func announce(_ sequence: UInt64) {
        announced = max(announced, min(sequence, end ?? .max))
    }

    /// Everything from `sequence` on was to arrive.
    mutating func owe(from sequence: UInt64) { begin = min(begin ?? sequence, sequence) }

    /// nil when nothing is owed.
    var owed: ClosedRange<UInt64>? {
        guard let begin else { return nil }
        let end = max(announced, received.last ?? 0)
        return begin <= end ? begin...end : nil
    }

    var missing: [ClosedRange<UInt64>] { owed.map(received.missing) ?? [] }
}
