import RingLog

/// A reader that is kept from batch to batch, as long as each begins where the last one ended.
///
/// Confined to the log queue.
final class ResumableReader {
    private var reader: LogReader?
    /// Behind the last entry of the last batch: where the reader goes on.
    private var expected = LogPosition.zero

    /// Goes on from `position`, with a new reader where the kept one stands elsewhere.
    func move(to position: LogPosition, of device: any BlockDevice) throws(RingLogError) {
        if reader == nil || expected != position {
            reader = try LogReader(device: device, from: position)
        }
    }

    /// Goes on from `position` behind a writer, as far as that has flushed: what was written last is in
    /// memory, and a disk that does not answer is not asked for what is not there yet.
    func follow(_ writer: LogWriter, from position: LogPosition) throws(RingLogError) {
        if reader == nil || expected != position { reader = try writer.reader(from: position) }
        reader?.limit = writer.end
    }

    func next() throws(RingLogError) -> LogItem? { try reader?.next() }

    /// The batch ended with the entry at `position`; nil if it was empty.
    func readThrough(_ position: LogPosition?) {
        if let position { expected = LogPosition(rawValue: position.rawValue + 1) }
    }

    /// The next batch begins with a new reader: this one failed, or what it read has changed.
    func forget() { reader = nil }
}
