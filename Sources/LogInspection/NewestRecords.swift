import RingLog
import Rowing

/// The last messages of a ring, found without reading all of it.
package struct NewestRecords: ~Copyable {
    package private(set) var messages: [DurableMessage] = []
    /// Behind them: goes on with what the daemon writes next.
    package private(set) var scan: LogScan
    private let filter: RecordFilter

    /// At most `count` messages that the filter admits, oldest first.
    package init(
        _ count: Int, of file: LogFile, filter: RecordFilter
    ) throws(RingLogError) {
        var segments = 0
        var scan = try LogScan(file, lastSegments: segments)
        var found = try Self.last(count, of: &scan, filter)
        while found.count < count, !scan.isWhole {
            segments = segments * 2 + 1
            scan = try LogScan(file, lastSegments: segments)
            found = try Self.last(count, of: &scan, filter)
        }
        self.scan = scan
        self.filter = filter
        messages = found
    }

    /// What has been written since the last call.
    package mutating func more() throws(RingLogError) -> [DurableMessage] {
        var messages: [DurableMessage] = []
        while let item = try scan.next() {
            if case .entry(.message(let message), _) = item, filter.admits(message) {
                messages.append(message)
            }
        }
        return messages
    }

    private static func last(
        _ count: Int, of scan: inout LogScan, _ filter: RecordFilter
    ) throws(RingLogError) -> [DurableMessage] {
        var found: [DurableMessage] = []
        while let item = try scan.next() {
            guard case .entry(.message(let message), _) = item, filter.admits(message) else {
                continue
            }
            found.append(message)
            // Let go of old ones in bulk.
            if found.count >= 2 * max(count, 512) { found.removeFirst(found.count - count) }
        }
        return found.suffix(count)
    }
}
