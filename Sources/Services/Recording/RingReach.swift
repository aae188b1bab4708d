import RingLog

/// When the oldest records of the ring were written, in Unix milliseconds. Looking that up can be slow, so the
/// results are cached by position, and no caller waits for a look-up. Confined to the log queue.
final class RingReach {
    /// The records whose time is cached.
    enum Record {
        /// The oldest record of the ring.
        case oldest
        /// The oldest record that the broker does not have.
        case waiting
    }

    /// A position in the ring, and the time of the first record behind it; nil if there is none.
    private struct Entry {
        var position: LogPosition
        var milliseconds: UInt64?
    }

    private var oldest: Entry?
    private var waiting: Entry?
    private var isLookingUp = false

    /// Whether the record at this position was looked up.
    func isLookedUp(_ record: Record, at position: LogPosition) -> Bool {
        self[record]?.position == position
    }

    /// The time of the record at this position; nil if there is none or it is unknown.
    func time(of record: Record, at position: LogPosition) -> UInt64? {
        self[record].flatMap { $0.position == position ? $0.milliseconds : nil }
    }

    func store(_ milliseconds: UInt64?, of record: Record, at position: LogPosition) {
        let entry = Entry(position: position, milliseconds: milliseconds)
        switch record {
        case .oldest: oldest = entry
        case .waiting: waiting = entry
        }
    }

    /// Begins a look-up, which ends with `endLookUp`. Returns false if one is running.
    func beginLookUp() -> Bool {
        guard !isLookingUp else { return false }
        isLookingUp = true
        return true
    }

    func endLookUp() { isLookingUp = false }

    private subscript(_ record: Record) -> Entry? {
        switch record {
        case .oldest: oldest
        case .waiting: waiting
        }
    }
}
