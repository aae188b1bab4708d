/// A set of sequence numbers, stored as ranges. A stream without gaps is one range.
package struct SequenceSet: Equatable, Sendable {
    /// Sorted; never overlapping or adjacent.
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    package init() {}

    package var isEmpty: Bool { ranges.isEmpty }
    /// The smallest number.
    package var first: UInt64? { ranges.first?.lowerBound }
    /// The greatest number.
    package var last: UInt64? { ranges.last?.upperBound }
    /// Count of numbers, not of ranges.
    package var count: UInt64 { ranges.reduce(0) { $0 + $1.length } }

    /// Complexity: O(log n) for n ranges.
    package func contains(_ number: UInt64) -> Bool { run(around: number) != nil }

    /// The contiguous range of members that contains `number`; nil if it is not a member.
    package func run(around number: UInt64) -> ClosedRange<UInt64>? {
        let index = place(of: number)
        return index < ranges.count && ranges[index].contains(number) ? ranges[index] : nil
    }

    /// Inserts all numbers of a range.
    package mutating func insert(_ range: ClosedRange<UInt64>) {
        // Merges the range with all overlapping and adjacent ranges.
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

    package mutating func insert(_ number: UInt64) { insert(number...number) }

    /// The numbers of `range` that are not in the set, in order.
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

    /// Index of the first range that ends at `number` or later; `ranges.count` if there is none.
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
    /// Count of numbers in the range.
    package var length: UInt64 { upperBound - lowerBound + 1 }

    /// `7`, or `7-9`.
    package var text: String {
        lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound)-\(upperBound)"
    }
}
