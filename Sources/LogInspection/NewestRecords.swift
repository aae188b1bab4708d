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
        self.filter = filter
        var segments = 0
        while true {
            var scan = try LogScan(file, lastSegments: segments)
            let isWhole = scan.isWhole
            let found = try Self.last(count, of: &scan, filter)
            if found.count == count || isWhole {
                messages = found
                self.scan = scan
                return
            }
            segments = segments * 2 + 1
        }
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
