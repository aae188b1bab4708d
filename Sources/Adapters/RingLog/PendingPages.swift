/// Pages of a file in memory: those that it has not made durable yet, in the order in which it is to
/// get them, and the last that it has, for whoever reads what was just written.
///
/// Confined to its owner.
struct PendingPages {
    /// What the file is to do next.
    enum Step {
        case prepare(Range<UInt64>)
        /// What lies in the buffer that was given.
        case write(offset: UInt64, count: Int)
        case sync
    }

    private final class Page {
        let bytes = PageBuffer(count: LogFormat.pageSize)
        var offset: UInt64 = 0
        var batch: UInt64 = 0
        /// The file has not been given these bytes.
        var isDirty = false
    }

    /// What one sync makes durable.
    private struct Batch {
        let number: UInt64
        /// In the order of their first writing.
        var pages: [Page] = []
        /// Those that the file has to be given, from `taken` on.
        var dirty: [Page] = []
        var taken = 0
        /// Space that is made ready before the pages are written.
        var preparations: [Range<UInt64>] = []
        /// A sync follows; what is written from now on is of the next batch.
        var isEnded = false
    }

    /// Durable pages kept: those around the end of the log, and as many to be used again.
    private static let kept = 64
    private static let page = UInt64(LogFormat.pageSize)

    /// The newest page of each place.
    private var newest: [UInt64: Page] = [:]
    private var batches: [Batch] = []
    /// Durable ones, the oldest first.
    private var clean: [Page] = []
    private var unused: [Page] = []
    /// Syncs asked for.
    private(set) var ended: UInt64 = 0
    /// Syncs done.
    private(set) var durable: UInt64 = 0
    /// Pages that are not durable.
    private(set) var count = 0

    // MARK: - What the writer asks for

    /// `bytes` are whole pages.
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

    /// What was written so far is to be made durable.
    mutating func sync() {
        let batch = openBatch()
        batches[batch].isEnded = true
        ended = batches[batch].number
    }

    private mutating func openBatch() -> Int {
        if batches.last?.isEnded != false { batches.append(Batch(number: ended + 1)) }
        return batches.count - 1
    }

    // MARK: - What a reader asks for

    /// Fills `buffer` as far as pages from `offset` on are here in a row; returns how many bytes those
    /// are, and how many bytes behind them are not.
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

    // MARK: - What the file is given

    var hasStep: Bool {
        guard let first = batches.first else { return false }
        return first.isEnded || !first.preparations.isEmpty || first.taken < first.dirty.count
    }

    /// Pages that the file has not been given.
    var unwritten: Int { batches.reduce(0) { $0 + $1.dirty.count - $1.taken } }

    /// The next step; nil while there is nothing to do. Pages that follow one another are written
    /// together, as many as `buffer` takes.
    mutating func nextStep(into buffer: PageBuffer) -> Step? {
        guard let first = batches.first else { return nil }
        if let range = first.preparations.first {
            batches[0].preparations.removeFirst()
            return .prepare(range)
        }
        if let (offset, count) = takeRun(of: 0, into: buffer) {
            return .write(offset: offset, count: count)
        }
        return first.isEnded ? .sync : nil
    }

    private mutating func takeRun(
        of batch: Int, into buffer: PageBuffer
    ) -> (offset: UInt64, count: Int)? {
        var (begin, count): (UInt64, Int) = (0, 0)
        while batches[batch].taken < batches[batch].dirty.count, count < buffer.bytes.count {
            let page = batches[batch].dirty[batches[batch].taken]
            if count == 0 { begin = page.offset }
            guard page.offset == begin + UInt64(count) else { break }
            buffer.bytes.part(count..<count + LogFormat.pageSize)
                .copyMemory(from: page.bytes.readOnly)
            page.isDirty = false
            batches[batch].taken += 1
            count += LogFormat.pageSize
        }
        if batches[batch].taken == batches[batch].dirty.count {
            batches[batch].dirty.removeAll(keepingCapacity: true)
            batches[batch].taken = 0
        }
        return count > 0 ? (begin, count) : nil
    }

    /// A sync has returned: the first batch is durable.
    mutating func firstIsDurable() {
        let batch = batches.removeFirst()
        durable = batch.number
        count -= batch.pages.count
        for page in batch.pages {
            clean.append(page)
            if clean.count > Self.kept { release(clean.removeFirst()) }
        }
    }

    private mutating func release(_ page: Page) {
        if newest[page.offset] === page { newest[page.offset] = nil }
        if unused.count < Self.kept { unused.append(page) }
    }

    // MARK: - A file that failed

    /// Ends the batch that is being filled, so that what there is can be written as a whole, again
    /// where it has been; returns how many batches that are, and the pages that are left out of it:
    /// those that come `last`.
    mutating func beginAgain(last isLast: (UInt64) -> Bool) -> (count: Int, last: [UInt64]) {
        if batches.last?.isEnded == false { sync() }
        var last: [UInt64] = []
        for index in batches.indices {
            for page in batches[index].pages {
                page.isDirty = !isLast(page.offset)
                if !page.isDirty, !last.contains(page.offset) { last.append(page.offset) }
            }
            batches[index].dirty = batches[index].pages.filter(\.isDirty)
            (batches[index].taken, batches[index].preparations) = (0, [])
        }
        return (batches.count, last)
    }

    /// The next run of pages that the first `count` batches have for the file.
    mutating func nextRun(
        ofFirst count: Int, into buffer: PageBuffer
    ) -> (offset: UInt64, count: Int)? {
        for batch in 0..<count {
            if let run = takeRun(of: batch, into: buffer) { return run }
        }
        return nil
    }

    /// The oldest page that is not durable and that `isWanted`.
    func oldest(where isWanted: (UInt64) -> Bool) -> UInt64? {
        for batch in batches {
            if let page = batch.pages.first(where: { isWanted($0.offset) }) { return page.offset }
        }
        return nil
    }

    /// Lets go of pages, whether the file has them or not.
    mutating func forget(_ range: Range<UInt64>) {
        for index in batches.indices {
            let before = batches[index].pages.count
            batches[index].pages.removeAll { range.contains($0.offset) }
            batches[index].dirty.removeFirst(batches[index].taken)
            batches[index].taken = 0
            batches[index].dirty.removeAll { range.contains($0.offset) }
            count -= before - batches[index].pages.count
        }
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: Int(Self.page)) {
            newest[offset] = nil
        }
    }
}
