import Contract
import RingLog

/// The last messages of a ring, found without reading all of it.
package struct NewestRecords: ~Copyable {
    package private(set) var messages: [DurableMessage] = []
    /// Positioned after `messages`; continues with new records.
    private(set) var scan: LogScan
    private let filter: RecordFilter
    private let count: Int
    private var file: LogFile
    /// The last message read, whether or not it passed the filter: where to continue if the file is
    /// replaced.
    private var last: DurableMessage?

    /// At most `count` messages that the filter admits, oldest first.
    package init(
        _ count: Int, of file: LogFile, filter: RecordFilter
    ) throws(RingLogError) {
        var segments = 0
        var scan = try LogScan(file, lastSegments: segments)
        var (found, last) = try Self.last(count, of: &scan, filter)
        while found.count < count, !scan.isWhole {
            segments = segments * 2 + 1
            scan = try LogScan(file, lastSegments: segments)
            (found, last) = try Self.last(count, of: &scan, filter)
        }
        self.init(found, last: last, at: scan, count, of: file, filter)
    }

    /// Apart, because it throws nothing: the compiler of Swift 6.0.3 crashes at an initializer that
    /// may fail when what cannot be copied has properties with initial values.
    private init(
        _ messages: [DurableMessage], last: DurableMessage?, at scan: consuming LogScan,
        _ count: Int, of file: LogFile, _ filter: RecordFilter
    ) {
        self.messages = messages
        self.last = last
        self.scan = scan
        self.count = count
        self.file = file
        self.filter = filter
    }

    /// Returns the messages since the last call, also if another file replaced this one: the
    /// daemon creates a new file if the size changes or the old file was deleted.
    package mutating func more() throws(RingLogError) -> [DurableMessage] {
        let messages = try rest()
        guard !file.device.isInPlace, let successor = try? LogFile(path: file.path) else {
            // Not there yet, or not complete yet.
            return messages
        }
        return try messages + continueIn(in: successor)
    }

    private mutating func rest() throws(RingLogError) -> [DurableMessage] {
        var messages: [DurableMessage] = []
        while let item = try scan.next() {
            guard case .entry(.message(let message), _) = item else { continue }
            last = message
            if filter.admits(message) { messages.append(message) }
        }
        return messages
    }

    /// Returns the messages after `last` in another file; its newest ones if it lacks `last`.
    private mutating func continueIn(
        in successor: LogFile
    ) throws(RingLogError) -> [DurableMessage] {
        scan = try LogScan(successor)
        file = successor
        let known = last
        var messages: [DurableMessage] = []
        var isKnown = false
        while let item = try scan.next() {
            guard case .entry(.message(let message), _) = item else { continue }
            last = message
            if message == known {
                isKnown = true
                messages = []
            } else if filter.admits(message) {
                messages.append(message)
            }
        }
        return isKnown ? messages : messages.suffix(max(count, 1))
    }

    private static func last(
        _ count: Int, of scan: inout LogScan, _ filter: RecordFilter
    ) throws(RingLogError) -> (found: [DurableMessage], last: DurableMessage?) {
        var found: [DurableMessage] = []
        var last: DurableMessage?
        while let item = try scan.next() {
            guard case .entry(.message(let message), _) = item else { continue }
            last = message
            guard filter.admits(message) else { continue }
            found.append(message)
            // Drop old ones in bulk.
            if found.count >= 2 * max(count, 512) { found.removeFirst(found.count - count) }
        }
        return (found.suffix(count), last)
    }
}
