/// The block that records are added to, in memory: LogFormat.md, Writing.
struct OpenBlock {
    /// Reserved in a block that accepts records: for the cursor (14 bytes) and the zero byte at the
    /// end.
    static let reserve = 15

    let start: LogPosition
    /// Zero behind `used`. Shared with the writer, which has one block at a time.
    private let buffer: PageBuffer
    private let limit: Int
    private let seed: CRC32C
    private(set) var used = BlockHeader.size
    /// Bytes passed to the device; 0 if none or if they may not have arrived.
    private var flushed = 0
    /// The block is being committed and accepts no more records.
    var isSealed = false

    /// Creates an empty block with `room` bytes at `start`.
    init(
        start: LogPosition, previousEnd: LogPosition, room: Int, buffer: PageBuffer, seed: CRC32C
    ) {
        precondition(room > 0, "a block has a page at least")
        self.start = start
        self.buffer = buffer
        self.seed = seed
        limit = min(room, buffer.bytes.count)
        buffer.bytes.clear()
        BlockHeader(position: start, previousEnd: previousEnd).write(buffer.bytes, seed: seed)
    }

    var end: LogPosition { start.advanced(by: used) }

    /// The end of the pages of this block.
    var pagesEnd: LogPosition { end.advanced(by: 1).pageUp }

    func hasRoom(forPayload count: Int) -> Bool {
        !isSealed && used + RecordFrame.size(payload: count) + Self.reserve <= limit
    }

    /// Requires room for the record, or the reserve for one of the log's own records.
    mutating func append(kind: UInt8, payload: UnsafeRawBufferPointer) -> LogPosition {
        precondition(!isSealed, "a block that is being committed takes no records")
        let size = RecordFrame.size(payload: payload.count)
        precondition(used + size < limit, "a block keeps a zero byte behind its records")
        let position = end
        used += RecordFrame.write(
            kind: kind, payload: payload, at: position, seed: seed,
            into: buffer.bytes.part(used..<limit))
        return position
    }

    /// The pages with records added since the last flush; nil if there are none.
    var unflushed: (position: LogPosition, bytes: UnsafeRawBufferPointer)? {
        guard flushed < used else { return nil }
        let first = Int(LogFormat.pageDown(UInt64(flushed)))
        let last = Int(LogFormat.pageUp(UInt64(used + 1)))
        return (start.advanced(by: first), buffer.readOnly.part(first..<last))
    }

    mutating func markFlushed() { flushed = used }

    /// After a failed sync: no byte of the block may be assumed to have arrived.
    mutating func markLost() { flushed = 0 }
}
