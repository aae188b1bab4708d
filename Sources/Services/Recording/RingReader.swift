import Contract
import HostRuntime
import RingLog

/// Reads far back in the ring, for replays, the backlog and manifests, on a queue of its own: whoever
/// records does not wait for a medium.
///
/// A long reading is cut into stretches, between which the others on this queue get their turn.
actor RingReader: QueueActor {
    nonisolated let executor: SerialQueueExecutor

    /// What was recorded within this many bytes is in memory, and is read where it is recorded.
    static let near: UInt64 = 128 << 10
    /// Entries of the ring passed in one turn, values of the wire among them.
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

    /// At most `limit` messages from `start` on.
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

    /// Counts in each of `accounts` what it lacks, up to the end of `ring`.
    func count(
        in accounts: [SessionAccount], _ ring: LogView
    ) async throws(RingLogError) {
        defer { for account in accounts { account.position = ring.end } }
        guard var start = accounts.map(\.position).min() else { return }
        while start < ring.end {
            let part = try sessions.stretch(
                from: start, in: ring, messages: .max, entries: Self.stretch)
            for case .message(let message, let place) in part.items where place < ring.end {
                for account in accounts where account.position <= place { account.take(message) }
            }
            guard let next = part.next, !part.isAtEnd else { return }
            start = next
            await Task.yield()
        }
    }

    /// When the first message at or behind `position` was recorded, in Unix milliseconds; nil where
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
            log.debug("how far back the ring reaches cannot be read: \(error)")
            return nil
        }
    }

    /// The messages of a range, by number; nil where they cannot be read.
    func messages(in range: Range<LogPosition>, _ ring: LogView) async -> DoomedMessages? {
        var found = DoomedMessages(range, of: ring.device)
        let reader = ResumableReader()
        var start = range.lowerBound
        do throws(RingLogError) {
            while start < range.upperBound {
                let part = try reader.stretch(
                    from: start, in: ring, messages: .max, entries: Self.stretch)
                for case .message(let message, let position) in part.items
                where position < range.upperBound {
                    found.take(message, at: position)
                }
                guard let next = part.next, !part.isAtEnd else { break }
                start = next
                await Task.yield()
            }
            return found
        } catch {
            log.debug("what the ring overwrites next cannot be read: \(error)")
            return nil
        }
    }

    /// The state before the oldest record that the ring still holds; nil when it cannot be read.
    func oldestState(of ring: LogView) -> RecorderState? {
        guard let reader = try? ring.reader(from: ring.oldest),
            let snapshot = try? reader.oldestSnapshot()
        else { return nil }
        return RecorderState(decoding: snapshot)
    }

    /// What was read ahead is out of date.
    func forget() { for reader in [backlog, replay, sessions] { reader.forget() } }

    // MARK: - Erasures

    /// What `erasure` knows once it has seen all of `ring`.
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

    /// What is to be replaced in the records of `ring` from `start` on, as far as they are passed in
    /// one turn.
    func victims(
        of erasure: AthleteErasure, from start: LogPosition, _ ring: LogView
    ) throws(RingLogError) -> AthleteErasure.Part {
        var part = AthleteErasure.Part(erasure: erasure, next: start)
        var reader = try ring.reader(from: start)
        for _ in 0..<Self.stretch {
            switch try reader.next() {
            case .record(let record)?:
                part.victims += part.erasure.victims(with: record)
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

    /// What of a segment no reader can read, and is not zero.
    func remains(in segment: UInt64, _ ring: LogView) throws(RingLogError) -> [Range<LogPosition>] {
        try ring.remains(in: segment)
    }

    // MARK: - A ring that came back

    /// Opens the ring at `path`, or makes one there, which is to take what another one has.
    ///
    /// - Parameter acknowledged: of each stream of the other, the last number that the broker has.
    func join(
        _ path: String, _ fileSystem: FallbackBlockDevice.FileSystem, _ geometry: LogGeometry,
        acknowledged: [StreamID: UInt64]
    ) throws(RingLogError) -> RingJoint {
        let found = try RingStorage.open(
            FallbackBlockDevice(path: path, fileSystem: fileSystem), geometry: geometry,
            runtime: runtime)
        if let failure = found.device.failure { throw failure }
        return RingJoint(found, found.recoverState(log: log), acknowledged: acknowledged)
    }

    /// Brings what `ring` has from `start` on; returns where to go on once it has more.
    func bring(
        _ ring: LogView, from start: LogPosition, unpublishedFrom cursor: LogPosition,
        into joint: RingJoint
    ) async throws(RingLogError) -> LogPosition {
        var (start, next) = (start, start)
        repeat {
            start = next
            next = try joint.transfer.bring(
                ring, from: start, unpublishedFrom: cursor, limit: Self.stretch)
            await Task.yield()
        } while next > start
        try joint.transfer.commit()
        return next
    }

    // MARK: - Replays

    /// Stored records of a range, at most `limit`, from what the ring still holds.
    ///
    /// - Parameter last: the last number that the stream has given out.
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
            batch.take(part, upTo: request.sequences.upperBound)
        } catch {
            log.error("the ring log cannot be read for a replay: \(error)")
            batch.isUnreadable = true
        }
        if batch.through == nil { replay.forget() }
        return batch
    }

    /// Behind `cursor`, or where the ring may hold the first record of a range: each segment opens
    /// with the numbers that come next.
    private func start(
        of request: ReplayRequest, after cursor: UInt64?, _ ring: LogView
    ) throws(RingLogError) -> LogPosition {
        if let cursor { return LogPosition(rawValue: cursor + 1) }
        let (station, kind) = (request.stream.station, request.stream.kind)
        let first = request.sequences.lowerBound
        return try ring.reader(from: ring.oldest).segmentStart { snapshot in
            guard let state = RecorderState(decoding: snapshot) else { return false }
            return state.streams[station]?.next[kind] ?? 1 <= first
        }
    }
}

extension ReplayRequest {
    fileprivate func wants(_ message: DurableMessage) -> Bool {
        message.stream == stream && sequences.contains(message.sequence) && !message.isErased
    }
}

extension ReplayBatch {
    /// - Parameter last: behind which nothing is wanted.
    fileprivate mutating func take(_ stretch: RingStretch, upTo last: UInt64) {
        through = stretch.isAtEnd ? nil : stretch.last?.rawValue
        for case .message(let message, let position) in stretch.items {
            records.append(OutgoingRecord(message, cursor: position.rawValue))
            if message.sequence == last { through = nil }
        }
    }
}
