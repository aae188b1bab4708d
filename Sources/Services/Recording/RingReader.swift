import Contract
import HostRuntime
import RingLog

/// Reads far back in the ring, for replays, the backlog and manifests, on its own queue, so that
/// recording does not wait for the medium.
///
/// A long read is divided into stretches, so that other work on this queue can run in between.
actor RingReader: QueueActor {
    nonisolated let executor: SerialQueueExecutor

    /// The last bytes of the ring are in memory, and are read on the log queue.
    static let near: UInt64 = 128 << 10
    /// Entries of the ring read per turn, including raw values.
    private static let stretch = 2000

    private let backlog = ResumableReader()
    private let replay = ResumableReader()
    private let sessions = ResumableReader()
    private let runtime: any Runtime
    private let log: SystemLog

    init(runtime: any Runtime, log: SystemLog) {
        self.runtime = runtime
        executor = runtime.makeQueue(label: "rowgate.reading")
        self.log = log
    }

    /// Returns at most `limit` messages from `start` on.
    func messages(
        from start: LogPosition, in ring: LogView, limit: Int
    ) async throws(RingLogError) -> RingStretch {
        var whole = RingStretch()
        while whole.items.count < limit, !whole.isAtEnd {
            let part = try backlog.stretch(
                from: whole.next ?? start, in: ring, messages: limit - whole.items.count,
                entries: Self.stretch)
            whole.items += part.items
            whole.last = part.last ?? whole.last
            whole.isAtEnd = part.isAtEnd
            await Task.yield()
        }
        return whole
    }

    /// Adds the missing counts to each of `counters`, up to the end of `ring`.
    func count(
        in counters: [SessionCounter], _ ring: LogView
    ) async throws(RingLogError) {
        defer { for counter in counters { counter.position = ring.end } }
        guard var start = counters.map(\.position).min() else { return }
        while start < ring.end {
            let part = try sessions.stretch(
                from: start, in: ring, messages: .max, entries: Self.stretch)
            for case .message(let message, let place) in part.items where place < ring.end {
                for counter in counters where counter.position <= place { counter.count(message) }
            }
            guard let next = part.next, !part.isAtEnd else { return }
            start = next
            await Task.yield()
        }
    }

    /// When the first message at or behind `position` was recorded, in Unix milliseconds; nil if
    /// there is none.
    func time(of position: LogPosition, in ring: LogView) async -> UInt64? {
        let reader = ResumableReader()
        var start = position
        do throws(RingLogError) {
            while true {
                let part = try reader.stretch(
                    from: start, in: ring, messages: 1, entries: Self.stretch)
                for case .message(let message, _) in part.items { return message.unixMilliseconds }
                guard let next = part.next, !part.isAtEnd else { return nil }
                start = next
                await Task.yield()
            }
        } catch {
            log.debug("the age of a record cannot be read: \(error)")
            return nil
        }
    }

    /// The messages of a range, by number; nil if they cannot be read.
    func messages(in range: Range<LogPosition>, _ ring: LogView) async -> UpcomingOverwrites? {
        var found = UpcomingOverwrites(range, of: ring.device)
        let reader = ResumableReader()
        var start = range.lowerBound
        do throws(RingLogError) {
            while start < range.upperBound {
                let part = try reader.stretch(
                    from: start, in: ring, messages: .max, entries: Self.stretch)
                for case .message(let message, let position) in part.items
                where position < range.upperBound {
                    found.append(message, at: position)
                }
                guard let next = part.next, !part.isAtEnd else { break }
                start = next
                await Task.yield()
            }
            return found
        } catch {
            log.debug("the records to be overwritten next cannot be read: \(error)")
            return nil
        }
    }

    /// The state before the oldest record in the ring; nil if it cannot be read.
    func oldestState(of ring: LogView) -> RecorderState? {
        guard let reader = try? ring.reader(from: ring.oldest),
            let snapshot = try? reader.oldestSnapshot()
        else { return nil }
        return RecorderState(decoding: snapshot)
    }

    /// Drops data read ahead, which is outdated.
    func forget() { for reader in [backlog, replay, sessions] { reader.forget() } }

    // MARK: - Erasures

    /// Returns the state of `erasure` after it has seen all of `ring`.
    func survey(
        for erasure: AthleteErasure, _ ring: LogView
    ) async throws(RingLogError) -> AthleteErasure {
        var erasure = erasure
        var reader = try ring.reader(from: ring.oldest)
        var count = 0
        while let item = try reader.next() {
            if case .record(let record) = item { erasure.survey(record) }
            count += 1
            if count % Self.stretch == 0 { await Task.yield() }
        }
        return erasure
    }

    /// Returns the records to replace in `ring` from `start` on, as far as one turn gets.
    func replacements(
        of erasure: AthleteErasure, from start: LogPosition, _ ring: LogView
    ) throws(RingLogError) -> AthleteErasure.Part {
        var part = AthleteErasure.Part(erasure: erasure, next: start)
        var reader = try ring.reader(from: start)
        for _ in 0..<Self.stretch {
            switch try reader.next() {
            case .record(let record)?:
                part.replacements += part.erasure.replacements(with: record)
                part.next = record.next
            case .gap(let gap)?:
                if gap.reason == .damaged { part.damagedRanges += 1 }
                part.next = gap.range.upperBound
            case nil:
                part.isAtEnd = true
                return part
            }
        }
        return part
    }

    /// Returns the parts of a segment that no reader can read and that are not zero.
    func remains(in segment: UInt64, _ ring: LogView) throws(RingLogError) -> [Range<LogPosition>] {
        try ring.remains(in: segment)
    }

    // MARK: - A returned ring

    /// Opens the ring at `path`, or creates one, to receive the content of another ring.
    ///
    /// - Parameter acknowledged: the last acknowledged number of each stream of the other ring.
    func beginMerge(
        _ path: String, _ fileSystem: FallbackBlockDevice.FileSystem, _ geometry: LogGeometry,
        acknowledged: [StreamID: UInt64]
    ) throws(RingLogError) -> RingMerge {
        let found = try RingStorage.open(
            FallbackBlockDevice(path: path, fileSystem: fileSystem), geometry: geometry,
            runtime: runtime)
        if let failure = found.device.failure { throw failure }
        return RingMerge(found, found.recoverState(log: log), acknowledged: acknowledged)
    }

    /// Copies the content of `ring` from `start` on; returns where to continue.
    func copy(
        _ ring: LogView, from start: LogPosition, unpublishedFrom cursor: LogPosition,
        into merge: RingMerge
    ) async throws(RingLogError) -> LogPosition {
        var (start, next) = (start, start)
        repeat {
            start = next
            next = try merge.transfer.copy(
                ring, from: start, unpublishedFrom: cursor, limit: Self.stretch)
            await Task.yield()
        } while next > start
        try merge.transfer.commit()
        return next
    }

    // MARK: - Replays

    /// Returns at most `limit` records of a range that are still in the ring.
    ///
    /// - Parameter last: the last number that the stream has assigned.
    func records(
        of request: ReplayRequest, after cursor: UInt64?, limit: Int, last: UInt64,
        in ring: LogView
    ) -> ReplayBatch {
        var batch = ReplayBatch(records: [], through: nil, lastSequence: last)
        do throws(RingLogError) {
            let place = try start(of: request, after: cursor, ring)
            let part = try replay.stretch(
                from: place, in: ring, messages: limit, entries: Self.stretch,
                where: request.wants)
            batch.append(part, upTo: request.sequences.upperBound)
        } catch {
            log.error("the ring log cannot be read for a replay: \(error)")
            batch.isUnreadable = true
        }
        if batch.through == nil { replay.forget() }
        return batch
    }

    /// Returns the position behind `cursor`, or the first that may hold a record of the range: each
    /// segment header holds the next numbers.
    private func start(
        of request: ReplayRequest, after cursor: UInt64?, _ ring: LogView
    ) throws(RingLogError) -> LogPosition {
        if let cursor { return LogPosition(rawValue: cursor + 1) }
        let (station, kind) = (request.stream.station, request.stream.kind)
        let first = request.sequences.lowerBound
        return try ring.reader(from: ring.oldest).segmentStart { snapshot in
            guard let state = RecorderState(decoding: snapshot) else { return false }
            return state.stationStates[station]?.next[kind] ?? 1 <= first
        }
    }
}

extension ReplayRequest {
    fileprivate func wants(_ message: DurableMessage) -> Bool {
        message.stream == stream && sequences.contains(message.sequence) && !message.isErased
    }
}

extension ReplayBatch {
    /// - Parameter last: nothing after this number is wanted.
    fileprivate mutating func append(_ stretch: RingStretch, upTo last: UInt64) {
        through = stretch.isAtEnd ? nil : stretch.last?.rawValue
        for case .message(let message, let position) in stretch.items {
            records.append(OutgoingRecord(message, cursor: position.rawValue))
            if message.sequence == last { through = nil }
        }
    }
}

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
