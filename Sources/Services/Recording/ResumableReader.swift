import Contract
import RingLog

/// Messages of the ring in order, and the gaps between them.
struct RingStretch: Sendable {
    enum Item: Sendable {
        case message(DurableMessage, at: LogPosition)
        case gap(LogGap)
    }

    var items: [Item] = []
    /// The position of the last entry, message or not; nil if there was none.
    var last: LogPosition?
    /// Whether the end of the ring was reached.
    var isAtEnd = false

    /// Where to continue; nil if there was no entry.
    var next: LogPosition? { last.map { LogPosition(rawValue: $0.rawValue + 1) } }
}

/// A reader that is reused as long as each stretch begins where the last one ended.
///
/// Confined to the queue of its owner.
final class ResumableReader {
    private var reader: LogReader?
    private var device: (any BlockDevice)?
    /// The end of the last stretch, where the reader continues.
    private var expected = LogPosition.zero

    /// Returns the content of the ring from `start` on: at most `limit` wanted messages, and as
    /// many entries of any kind. Raw values are skipped undecoded.
    func stretch(
        from start: LogPosition, in ring: LogView, messages limit: Int, entries: Int = .max,
        where isWanted: (DurableMessage) -> Bool = { _ in true }
    ) throws(RingLogError) -> RingStretch {
        do throws(RingLogError) {
            try move(to: start, in: ring)
            let stretch = try read(messages: limit, entries: entries, where: isWanted)
            expected = stretch.next ?? expected
            return stretch
        } catch {
            forget()
            throw error
        }
    }

    /// Continues from `position`, with a new reader if the current one is elsewhere.
    private func move(to position: LogPosition, in ring: LogView) throws(RingLogError) {
        if reader == nil || expected != position || device !== ring.device {
            reader = try ring.reader(from: position)
            (device, expected) = (ring.device, position)
        }
        reader?.end = ring.end
    }

    private func read(
        messages limit: Int, entries: Int, where isWanted: (DurableMessage) -> Bool
    ) throws(RingLogError) -> RingStretch {
        var stretch = RingStretch()
        var (messages, passed) = (0, 0)
        while messages < limit, passed < entries {
            guard let item = try reader?.next() else {
                stretch.isAtEnd = true
                break
            }
            passed += 1
            switch item {
            case .gap(let gap): stretch.items.append(.gap(gap))
            case .record(let record):
                stretch.last = record.position
                guard let message = DurableMessage(stored: record.kind, record.bytes),
                    isWanted(message)
                else { continue }
                messages += 1
                stretch.items.append(.message(message, at: record.position))
            }
        }
        return stretch
    }

    /// Drops the reader, whose buffered data is outdated.
    func forget() {
        reader = nil
        device = nil
    }
}
