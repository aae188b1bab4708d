/// Identifies a record, or the place between two records, for the lifetime of a ring.
///
/// It grows with each record and is never reused, whatever happens to the record.
package struct LogPosition: Comparable, Hashable, Sendable, CustomStringConvertible {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Before every record.
    package static let zero = LogPosition(rawValue: 0)

    package static func < (left: LogPosition, right: LogPosition) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { String(rawValue) }

    func advanced(by bytes: Int) -> LogPosition {
        LogPosition(rawValue: rawValue + UInt64(bytes))
    }

    var isPageBoundary: Bool { rawValue % UInt64(LogFormat.pageSize) == 0 }
    var pageUp: LogPosition { LogPosition(rawValue: LogFormat.pageUp(rawValue)) }
    var pageDown: LogPosition { LogPosition(rawValue: LogFormat.pageDown(rawValue)) }
}
