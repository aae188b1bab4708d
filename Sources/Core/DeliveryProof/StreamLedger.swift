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

/// The expected range of a stream, and the received numbers.
package struct StreamExtent: Equatable, Sendable {
    package private(set) var received: SequenceSet
    /// First expected number; nil if unknown.
    package private(set) var begin: UInt64?
    /// The highest number that the gateway announced; 0 for none.
    package private(set) var announced: UInt64

    package init(
        received: SequenceSet = SequenceSet(), begin: UInt64? = nil, announced: UInt64 = 0
    ) {
        self.received = received
        self.begin = begin
        self.announced = announced
    }

    /// Adds a received number. The first received number also begins the expected range.
    package mutating func receive(_ sequence: UInt64) {
        received.insert(sequence)
        if begin == nil { begin = sequence }
    }

    /// Adds a stored number. The lowest stored number begins the expected range, whatever the order of
    /// arrival.
    package mutating func store(_ sequence: UInt64) {
        received.insert(sequence)
        expect(from: sequence)
    }

    /// The gateway announced `sequence` as its last number.
    package mutating func announce(_ sequence: UInt64) { announced = max(announced, sequence) }

    /// Expects all numbers from `sequence` on.
    package mutating func expect(from sequence: UInt64) { begin = min(begin ?? sequence, sequence) }

    /// The highest number received or announced; 0 for none.
    package var last: UInt64 { max(announced, received.last ?? 0) }

    /// The expected range; nil if it is empty or unknown.
    package var expected: ClosedRange<UInt64>? {
        guard let begin, begin <= last else { return nil }
        return begin...last
    }

    /// Whether all expected numbers were received.
    package var isComplete: Bool {
        expected.map { received.run(around: $0.lowerBound)?.upperBound == $0.upperBound } ?? true
    }

    /// Expected numbers that were not received, in order.
    package var missing: [ClosedRange<UInt64>] { expected.map(received.missing) ?? [] }
}
