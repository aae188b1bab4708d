import RingLog

/// A reader that is kept from batch to batch, as long as each begins where the last one ended.
///
/// Confined to the log queue.
struct ResumableReader: ~Copyable {
    private var reader: LogReader?
    /// Where it goes on, as the caller counts: behind the last entry that it was told of.
    private var expected = LogPosition.zero

    /// Goes on from `position`, with a new reader where the kept one stands elsewhere.
    mutating func move(
        to position: LogPosition, of device: any BlockDevice
    ) throws(RingLogError) {
        if reader == nil || expected != position {
            reader = try LogReader(device: device, from: position)
        }
    }

    mutating func next() throws(RingLogError) -> LogItem? { try reader?.next() }

    /// The batch ended with the entry at `position`; nil if it was empty.
    mutating func readThrough(_ position: LogPosition?) {
        if let position { expected = LogPosition(rawValue: position.rawValue + 1) }
    }

    /// After a failure: the next batch begins with a new reader.
    mutating func forget() { reader = nil }
}
