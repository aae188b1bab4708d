/// From which number to which a stream is owed, and which of these are here.
package struct StreamExtent: Equatable, Sendable {
    /// Numbers whose records are here.
    package private(set) var received: SequenceSet
    /// The first number that is owed; nil while that is not known.
    package private(set) var begin: UInt64?
    /// The highest number that a message of the gateway named; 0 for none.
    package private(set) var announced: UInt64

    package init(
        received: SequenceSet = SequenceSet(), begin: UInt64? = nil, announced: UInt64 = 0
    ) {
        self.received = received
        self.begin = begin
        self.announced = announced
    }

    /// The record with this number is here; whoever has received nothing yet came in with it.
    package mutating func take(_ sequence: UInt64) {
        received.insert(sequence)
        if begin == nil { begin = sequence }
    }

    /// The record with this number is stored. Everything from the lowest stored number on is owed, in
    /// whatever order they come.
    package mutating func store(_ sequence: UInt64) {
        received.insert(sequence)
        owe(from: sequence)
    }

    /// The gateway named `sequence` as the last one given out.
    package mutating func announce(_ sequence: UInt64) { announced = max(announced, sequence) }

    /// Everything from `sequence` on was to arrive.
    package mutating func owe(from sequence: UInt64) { begin = min(begin ?? sequence, sequence) }

    /// The highest number heard of; 0 for none.
    package var last: UInt64 { max(announced, received.last ?? 0) }

    /// nil when nothing is owed.
    package var owed: ClosedRange<UInt64>? {
        guard let begin, begin <= last else { return nil }
        return begin...last
    }

    /// Whether everything is here that is owed.
    package var isWhole: Bool {
        owed.map { received.run(around: $0.lowerBound)?.upperBound == $0.upperBound } ?? true
    }

    /// Numbers that are owed and not here, in order.
    package var missing: [ClosedRange<UInt64>] { owed.map(received.missing) ?? [] }
}
