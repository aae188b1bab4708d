/// Pages of a file in memory: the pages that are not durable yet, in the order in which they are to be
/// written, and the last durable ones, for readers of recent data.
///
/// Confined to its owner.
struct PendingPages {
    /// The next operation on the file.
    enum Step {
        case prepare(Range<UInt64>)
        /// Writes the content of the given buffer.
        case write(offset: UInt64, count: Int)
        case sync
    }

    private final class Page {
        let bytes = PageBuffer(count: LogFormat.pageSize)
        var offset: UInt64 = 0
        var batch: UInt64 = 0
        /// These bytes have not been written to the file.
        var isDirty = false
    }

    /// The pages that one sync makes durable.
    private struct Batch {
        let number: UInt64
        /// In the order of their first write.
        var pages: [Page] = []
        /// Pages to write to the file, from index `written` on.
        var dirty: [Page] = []
        var written = 0
        /// Space to prepare before the pages are written.
        var preparations: [Range<UInt64>] = []
        /// A sync follows; later writes belong to the next batch.
        var isEnded = false
    }

    /// Number of durable pages stored: those around the end of the log, and as many for reuse.
    private static let cleanLimit = 64
    private static let page = UInt64(LogFormat.pageSize)

    /// The newest page at each offset.
    private var newest: [UInt64: Page] = [:]
    private var batches: [Batch] = []
    /// Durable pages, oldest first.
    private var clean: [Page] = []
    private var unused: [Page] = []
    /// Number of requested syncs.
    private(set) var ended: UInt64 = 0
    /// Number of finished syncs.
    private(set) var durable: UInt64 = 0
    /// Number of pages that are not durable.
    private(set) var count = 0

    // MARK: - Writing

    /// Writes `bytes`, which are whole pages.
    mutating func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) {
        let batch = openBatch()
        for start in stride(from: 0, to: bytes.count, by: LogFormat.pageSize) {
            let page = page(at: offset + UInt64(start), in: batch)
            page.bytes.bytes.copyMemory(from: bytes.part(start..<start + LogFormat.pageSize))
            if !page.isDirty { batches[batch].dirty.append(page) }
            page.isDirty = true
        }
    }

    private mutating func page(at offset: UInt64, in batch: Int) -> Page {
        let number = batches[batch].number
        if let page = newest[offset], page.batch == number { return page }
        let page = unused.popLast() ?? Page()
        (page.offset, page.batch) = (offset, number)
        newest[offset] = page
        batches[batch].pages.append(page)
        count += 1
        return page
    }

    mutating func prepare(_ range: Range<UInt64>) {
        let batch = openBatch()
        batches[batch].preparations.append(range)
    }

    /// Requests that everything written so far becomes durable.
    mutating func sync() {
        let batch = openBatch()
        batches[batch].isEnded = true
        ended = batches[batch].number
    }

    private mutating func openBatch() -> Int {
        if batches.last?.isEnded != false { batches.append(Batch(number: ended + 1)) }
        return batches.count - 1
    }

    // MARK: - Reading

    /// Fills `buffer` with consecutive pages from `offset` on. Returns the number of bytes filled,
    /// and the number of bytes behind them that are not here.
    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) -> (here: Int, elsewhere: Int) {
        var position = 0
        while position < buffer.count, let page = newest[offset + UInt64(position)] {
            let rest = buffer.part(position..<min(position + LogFormat.pageSize, buffer.count))
            rest.copyMemory(from: page.bytes.readOnly.part(0..<rest.count))
            position += rest.count
        }
        let here = position
        while position < buffer.count, newest[offset + UInt64(position)] == nil {
            position = min(position + LogFormat.pageSize, buffer.count)
        }
        return (here, position - here)
    }

    /// Whether a page is here that is not durable.
    func isPending(_ offset: UInt64) -> Bool { newest[offset].map { $0.batch > durable } ?? false }

    // MARK: - Steps for the file

    var hasStep: Bool {
        guard let first = batches.first else { return false }
        return first.isEnded || !first.preparations.isEmpty || first.written < first.dirty.count
    }

    /// Number of pages that have not been written to the file.
    var unwritten: Int { batches.reduce(0) { $0 + $1.dirty.count - $1.written } }

    /// Returns the next step; nil if there is nothing to do. Consecutive pages are written
    /// together, as many as fit into `buffer`.
    mutating func nextStep(into buffer: PageBuffer) -> Step? {
        guard let first = batches.first else { return nil }
        if let range = first.preparations.first {
            batches[0].preparations.removeFirst()
            return .prepare(range)
        }
        if let (offset, count) = dequeueRun(of: 0, into: buffer) {
            return .write(offset: offset, count: count)
        }
        return first.isEnded ? .sync : nil
    }

    private mutating func dequeueRun(
        of batch: Int, into buffer: PageBuffer
    ) -> (offset: UInt64, count: Int)? {
        var (begin, count): (UInt64, Int) = (0, 0)
        while batches[batch].written < batches[batch].dirty.count, count < buffer.bytes.count {
            let page = batches[batch].dirty[batches[batch].written]
            if count == 0 { begin = page.offset }
            guard page.offset == begin + UInt64(count) else { break }
            buffer.bytes.part(count..<count + LogFormat.pageSize)
                .copyMemory(from: page.bytes.readOnly)
            page.isDirty = false
            batches[batch].written += 1
            count += LogFormat.pageSize
        }
        if batches[batch].written == batches[batch].dirty.count {
            batches[batch].dirty.removeAll(keepingCapacity: true)
            batches[batch].written = 0
        }
        return count > 0 ? (begin, count) : nil
    }

    /// Marks the first batch as durable: a sync has returned.
    mutating func firstIsDurable() {
        let batch = batches.removeFirst()
        durable = batch.number
        count -= batch.pages.count
        for page in batch.pages {
            clean.append(page)
            if clean.count > Self.cleanLimit { release(clean.removeFirst()) }
        }
    }

    private mutating func release(_ page: Page) {
        if newest[page.offset] === page { newest[page.offset] = nil }
        if unused.count < Self.cleanLimit { unused.append(page) }
    }

    // MARK: - Recovering from a failed file

    /// Ends the batch that is being filled, so that everything can be written again to another
    /// file. Returns the number of batches, and the pages that are written `last` and are not part
    /// of them.
    mutating func prepareRewrite(last isLast: (UInt64) -> Bool) -> (count: Int, last: [UInt64]) {
        if batches.last?.isEnded == false { sync() }
        var last: [UInt64] = []
        for index in batches.indices {
            for page in batches[index].pages {
                page.isDirty = !isLast(page.offset)
                if !page.isDirty, !last.contains(page.offset) { last.append(page.offset) }
            }
            batches[index].dirty = batches[index].pages.filter(\.isDirty)
            (batches[index].written, batches[index].preparations) = (0, [])
        }
        return (batches.count, last)
    }

    /// Returns the next run of pages of the first `count` batches.
    mutating func nextRun(
        ofFirst count: Int, into buffer: PageBuffer
    ) -> (offset: UInt64, count: Int)? {
        for batch in 0..<count {
            if let run = dequeueRun(of: batch, into: buffer) { return run }
        }
        return nil
    }

    /// Returns the oldest page that is not durable and satisfies `isWanted`.
    func oldest(where isWanted: (UInt64) -> Bool) -> UInt64? {
        for batch in batches {
            if let page = batch.pages.first(where: { isWanted($0.offset) }) { return page.offset }
        }
        return nil
    }

    /// Drops pages, whether or not the file has them.
    mutating func drop(_ range: Range<UInt64>) {
        for index in batches.indices {
            let before = batches[index].pages.count
            batches[index].pages.removeAll { range.contains($0.offset) }
            batches[index].dirty.removeFirst(batches[index].written)
            batches[index].written = 0
            batches[index].dirty.removeAll { range.contains($0.offset) }
            count -= before - batches[index].pages.count
        }
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: Int(Self.page)) {
            newest[offset] = nil
        }
    }
}
