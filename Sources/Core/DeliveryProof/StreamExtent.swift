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
