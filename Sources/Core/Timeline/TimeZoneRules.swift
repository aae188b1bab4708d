/// The offsets of a time zone from UTC.
///
/// A zone has a table of past changes. The rule in the footer of the file applies to later instants.
package struct TimeZoneRules: Equatable, Sendable {
    /// An offset of a zone during a period.
    struct Offset: Equatable, Sendable {
        /// Added to UTC: positive east of Greenwich.
        let seconds: Int64
        /// Whether it is daylight-saving time.
        let isDaylight: Bool
        /// `CET`, or `-03`.
        let abbreviation: String
    }

    /// A change of the offset at an instant.
    struct Change: Equatable, Sendable {
        /// Unix seconds.
        let at: Int64
        let offset: Offset
    }

    /// The offset before the first change.
    let initial: Offset
    /// In order of their instants.
    let changes: [Change]
    /// The rule after the last change; nil if the last offset stays.
    let future: PosixTimeZone?

    /// Coordinated Universal Time.
    package static let utc = TimeZoneRules(
        initial: Offset(seconds: 0, isDaylight: false, abbreviation: "UTC"), changes: [],
        future: nil)

    /// The offset at an instant, in Unix seconds.
    func offset(at seconds: Int64) -> Offset {
        guard let last = changes.last else { return future?.offset(at: seconds) ?? initial }
        if seconds >= last.at { return future?.offset(at: seconds) ?? last.offset }
        // Finds the first change after the instant.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? initial : changes[low - 1].offset
    }

    /// The changes in a range of Unix seconds, in order.
    func changes(in range: Range<Int64>) -> [Change] {
        let known = changes.filter { range.contains($0.at) }
        guard let future else { return known }
        let from = changes.last.map { max(range.lowerBound, $0.at + 1) } ?? range.lowerBound
        guard from < range.upperBound else { return known }
        return known + future.changes(in: from..<range.upperBound)
    }
}
