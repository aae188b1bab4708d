import Contract
import RingLog

/// Messages of the ring in order, and what was met between them.
struct RingStretch: Sendable {
    enum Item: Sendable {
        case message(DurableMessage, at: LogPosition)
        case gap(LogGap)
    }

    var items: [Item] = []
    /// Of the last entry that was passed, message or not; nil where none was.
    var last: LogPosition?
    /// Nothing follows.
    var isAtEnd = false

    /// Where to go on; nil where no entry was passed.
    var next: LogPosition? { last.map { LogPosition(rawValue: $0.rawValue + 1) } }
}

/// A reader that is kept from stretch to stretch, as long as each begins where the last one ended.
///
/// Confined to the queue of its owner.
final class ResumableReader {
    private var reader: LogReader?
    private var device: (any BlockDevice)?
    /// Behind the last entry of the last stretch: where the reader goes on.
    private var expected = LogPosition.zero

    /// What the ring holds from `start` on: at most `limit` messages that are wanted, and as many
    /// entries of any kind. Values of the wire are passed without a look into them.
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

    /// Goes on from `position`, with a new reader where the kept one stands elsewhere.
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

    /// The next stretch begins with a new reader: what this one has read ahead is out of date.
    func forget() {
        reader = nil
        device = nil
    }
}
