/// Numbers of a stream, kept as ranges: a stream without a loss is one range, however long.
package struct SequenceSet: Equatable, Sendable {
    /// In order, and never touching each other.
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    package init() {}

    /// Without any number.
    package var isEmpty: Bool { ranges.isEmpty }
    /// The smallest number.
    package var first: UInt64? { ranges.first?.lowerBound }
    /// The greatest number.
    package var last: UInt64? { ranges.last?.upperBound }
    /// How many numbers, not ranges.
    package var count: UInt64 { ranges.reduce(0) { $0 + $1.length } }

    /// In time logarithmic in the number of ranges.
    package func contains(_ number: UInt64) -> Bool { run(around: number) != nil }

    /// All the numbers around this one that are there without a hole between; nil unless it is.
    package func run(around number: UInt64) -> ClosedRange<UInt64>? {
        let index = place(of: number)
        return index < ranges.count && ranges[index].contains(number) ? ranges[index] : nil
    }

    /// Adds every number of a range; those that are there stay.
    package mutating func insert(_ range: ClosedRange<UInt64>) {
        // Whatever overlaps or touches the range becomes one with it.
        let lower = range.lowerBound == 0 ? 0 : range.lowerBound - 1
        let upper = range.upperBound == .max ? .max : range.upperBound + 1
        let start = place(of: lower)
        var end = start
        var merged = range
        while end < ranges.count, ranges[end].lowerBound <= upper {
            merged =
                min(
                    merged.lowerBound, ranges[end].lowerBound)...max(
                    merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: [merged])
    }

    /// Adds one number; one that is there stays.
    package mutating func insert(_ number: UInt64) { insert(number...number) }

    /// The numbers of `range` that are not there, in order.
    package func missing(from range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
        var missing: [ClosedRange<UInt64>] = []
        var next = range.lowerBound
        for known in ranges[place(of: range.lowerBound)...] {
            if known.lowerBound > range.upperBound { break }
            if known.lowerBound > next { missing.append(next...known.lowerBound - 1) }
            if known.upperBound >= range.upperBound { return missing }
            next = known.upperBound + 1
        }
        missing.append(next...range.upperBound)
        return missing
    }

    /// Of the first range that ends at `number` or later; their count when there is none.
    private func place(of number: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ClosedRange<UInt64> {
    /// How many numbers it holds.
    package var length: UInt64 { upperBound - lowerBound + 1 }

    /// `7`, or `7-9`.
    package var words: String {
        lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound)-\(upperBound)"
    }
}
