import Contract
import Glibc
import HostRuntime
import RingLog

/// Recovery of a disk that refuses records.
extension Recorder {
    /// Tries the disk again, if it refuses records and the next attempt is due.
    func healWhenDue() {
        let now = runtime.now()
        guard store.isAttemptDue(at: now) else { return }
        if !heal() { store.postponeAttempt(from: now) }
    }

    /// Tries the disk again. Returns whether it has everything; if the disk has its own queue, the
    /// result is known later.
    @discardableResult
    func heal() -> Bool {
        guard store.device.failure != nil else { return true }
        guard store.beginHealing() else { return false }
        finishHealing()
        return store.device.failure == nil
    }

    /// Tries the disk again. Returns, after the attempt, whether it has everything.
    @discardableResult
    func healed() async -> Bool {
        heal()
        await withCheckedContinuation { store.whenHealed($0) }
        return store.device.failure == nil
    }

    /// Called after an attempt.
    func finishHealing() {
        guard store.hasHealingResult else { return }
        switch (store.device.failure?.operation, store.device.failure?.code) {
        case (.open, EEXIST), (.locate, ENODATA):
            store.beginMerging()
            Task { await mergeRing() }
            return
        case (.recognize, EUCLEAN):
            // The path is free for the next attempt.
            _ = store.device.setAside(at: runtime, log: log)
        default: break
        }
        endHealing()
    }

    private func endHealing() {
        store.endHealing()
        if store.device.failure == nil {
            store.hasHealed()
            commit()
        } else {
            store.reportFailure()
        }
        store.resumeHealingWaiters()
    }

    /// Handles a disk that returned with another ring, or a lost ring whose path is free: continues in the
    /// ring found there, or in a new one. Appends the records in memory and any that can still be read.
    ///
    /// The numbers of both rings stay valid, each in its epoch; new records belong to a third
    /// epoch. The reader copies what memory holds while recording continues; only the last part is
    /// copied here.
    private func mergeRing() async {
        do throws(RingLogError) {
            let merge = try await reader.beginMerge(
                store.device.path, store.device.fileSystem, store.writer.geometry,
                acknowledged: numbering.state.lastAcknowledged)
            var start = store.storage.firstToRescue
            repeat {
                try store.writer.flush()
                start = try await reader.copy(
                    store.writer.view, from: start, unpublishedFrom: store.writer.consumed,
                    into: merge)
            } while isFar(start)
            try continueRecording(in: merge, from: start)
        } catch {
            log.error("the existing ring cannot be resumed: \(error)")
        }
        endHealing()
    }

    private func continueRecording(in merge: RingMerge, from start: LogPosition) throws(RingLogError) {
        let (found, theirs, transfer) = (merge.found, merge.theirs, merge.transfer)
        if let failure = found.device.failure { throw failure }
        let isOfAnother = store.writer.epoch != found.writer.epoch
        countNewRecords()
        // From here on no caller waits for its disk, which certainly has everything except this.
        writeBehind(found.device)
        _ = try transfer.copy(
            store.writer.view, from: start, unpublishedFrom: store.writer.consumed)
        try transfer.finish(through: numbering.state)
        if let failure = found.device.failure { throw failure }
        numbering.move(transfer.relocated(numbering.state), behind: theirs)
        cursorReader.changeRing(
            end: store.writer.end, consumed: found.writer.consumed, losses: transfer.losses)
        store.replace(with: found)
        numbering.addCounts(counters.changeRing(to: store.writer.view))
        setWriterCallbacks()
        // Declares losses in the old epoch.
        if found.isNew { declareDropped() }
        let reason =
            found.isNew
            ? "a new ring log replaces the lost one"
            : "a ring log returned to its path and is continued"
        beginEpoch(because: reason)
        // An older state of our own ring knows less about our own sessions than we do.
        if isOfAnother { endSessions(openIn: theirs) }
        openCounters()
        record(.ringRecovered(droppedBytes: found.tornBytes, reason: reason))
    }
}

/// Copies the records of one ring behind those of another, in order.
///
/// Positions change, so stored positions are adjusted: the cursor, and the begin of open sessions.
/// Confined to the queue of its owner.
final class RingTransfer {
    private let target: LogWriter
    private let isSameRecorder: Bool
    /// The state for the segment headers of the target: as of the last copied record.
    private var state: RecorderState
    /// For another recorder's ring: the last number of each stream that the broker has, or that was
    /// copied.
    private var known: [StreamID: UInt64]
    /// Unpublished records that did not fit or were damaged.
    private(set) var losses: UndeclaredLosses
    private let begin: LogPosition
    /// The first record of each source segment, and the target's position at that moment.
    private var places: [(source: LogPosition, target: LogPosition)] = []
    private var segment: UInt64?
    private var failure: RingLogError?

    /// - Parameters:
    ///   - target: receives the records; only this transfer writes to it.
    ///   - state: the state before the first copied record, if `isSameRecorder`; else the target's own.
    ///   - acknowledged: the last acknowledged number of each source stream, unless `isSameRecorder`.
    ///   - isSameRecorder: whether the target has only copied records. Otherwise its numbers belong to
    ///     another epoch: states among the records are not copied, so that a process that dies during
    ///     the transfer continues from the target's own state.
    init(
        into target: LogWriter, state: RecorderState, acknowledged: [StreamID: UInt64] = [:],
        isSameRecorder: Bool
    ) {
        (self.target, self.state, known) = (target, state, acknowledged)
        self.isSameRecorder = isSameRecorder
        losses = UndeclaredLosses(undeclared: state.undeclared)
        begin = target.end
        target.snapshot = { [unowned self] in self.state.declaring(self.losses).encode() }
        target.willOverwrite = { [unowned self] in willOverwrite($0) }
    }

    /// Notes unpublished records of `source` that are not copied.
    func skip(_ positions: Range<LogPosition>, of source: LogView) throws(RingLogError) {
        guard !positions.isEmpty else { return }
        try losses.addMessages(in: positions, of: source)
    }

    private func willOverwrite(_ positions: Range<LogPosition>) {
        do throws(RingLogError) {
            try losses.addMessages(in: positions, of: target.view)
        } catch {
            // Called within an append, which cannot throw: `bring` throws it.
            failure = error
        }
    }

    /// Copies the content of `source` from `start` on, at most `limit` records.
    ///
    /// - Parameters:
    ///   - cursor: where the unpublished records of the source begin.
    ///   - progress: called with each record.
    /// - Returns: where to continue.
    func copy(
        _ source: LogView, from start: LogPosition, unpublishedFrom cursor: LogPosition,
        limit: Int = .max, progress: (LogPosition) -> Void = { _ in }
    ) throws(RingLogError) -> LogPosition {
        // The unpublished records of the target come first, then those of the source again.
        let movesCursor = isSameRecorder || state.backlog == 0
        var reader = try source.reader(from: start)
        var (next, count) = (start, 0)
        while count < limit {
            switch try reader.next() {
            case nil:
                // If nothing behind can be read either, the reader reports no damage.
                if max(next, reader.position) < source.end { noteDamage(next..<source.end, cursor) }
                return max(next, source.end)
            case .gap(let gap)?:
                if gap.reason == .damaged { noteDamage(gap.range, cursor) }
                next = max(next, gap.range.upperBound)
            case .record(let record)?:
                let isPublished = record.position < cursor
                notePlace(record.position, segmentSize: reader.geometry.segmentSize)
                try copy(record, isPublished: isPublished)
                if isPublished, movesCursor { target.consumed = target.end }
                if let failure { throw failure }
                progress(record.position)
                (next, count) = (record.next, count + 1)
            }
        }
        return next
    }

    private func noteDamage(_ range: Range<LogPosition>, _ cursor: LogPosition) {
        guard range.upperBound > cursor else { return }
        losses.noteDamage(range, last: isSameRecorder ? state.lastNumbers : known)
    }

    /// Ends the transfer and makes it durable.
    ///
    /// - Parameter last: the state of the source behind its last record.
    func finish(through last: RecorderState) throws(RingLogError) {
        losses.reachedEnd { last.upcoming($0) }
        try commit()
    }

    /// Makes the copied records durable.
    func commit() throws(RingLogError) { try target.commit(cursor: true) }

    private func notePlace(_ position: LogPosition, segmentSize: Int) {
        let segment = position.rawValue / UInt64(segmentSize)
        if segment != self.segment { places.append((position, target.end)) }
        self.segment = segment
    }

    private func copy(_ record: LogRecord, isPublished: Bool) throws(RingLogError) {
        switch record.kind {
        case RingRecordKind.state:
            guard isSameRecorder, let newer = RecorderState(decoding: record.bytes) else { return }
            // The copied records include every pending entry.
            let moved = relocated(state.replaced(by: newer)).withoutPendingEntries
            try target.append(kind: record.kind, bytes: moved.encode())
            state = moved
        case RingRecordKind.entry:
            try target.append(kind: record.kind, bytes: record.bytes)
            // An entry that cannot be decoded was written by a later version, and is copied too.
            guard let entry = try? RingEntry.decode(record.bytes) else { return }
            state.observe(entry, isAcknowledged: isPublished)
            guard case .message(let message) = entry else { return }
            losses.read(message.stream, message.sequence)
            known[message.stream] = max(known[message.stream] ?? 0, message.sequence)
        default: try target.append(kind: record.kind, bytes: record.bytes)
        }
    }

    /// Converts the positions in a state of the source to those of the target.
    func relocated(_ state: RecorderState) -> RecorderState {
        var state = state
        for station in state.stationStates.keys {
            guard let position = state.stationStates[station]?.open?.position else { continue }
            state.stationStates[station]?.open?.position = relocated(position)
        }
        for index in state.ended.indices {
            state.ended[index].begun.position = relocated(state.ended[index].begun.position)
        }
        return state
    }

    private func relocated(_ position: UInt64) -> UInt64 {
        (places.last { $0.source.rawValue <= position }?.target ?? begin).rawValue
    }
}

/// A returned ring, or the replacement of a lost ring, with the transfer of the current ring's records
/// to it.
///
/// Owned by the reader's queue until everything far back is copied, then by the log queue.
final class RingMerge: @unchecked Sendable {
    let found: RingStorage
    /// The found ring's own state.
    let theirs: RecorderState
    let transfer: RingTransfer

    /// - Parameter acknowledged: the last acknowledged number of each stream of the current ring.
    init(
        _ found: RingStorage, _ theirs: RecorderState, acknowledged: [StreamID: UInt64]
    ) {
        (self.found, self.theirs) = (found, theirs)
        transfer = RingTransfer(
            into: found.writer, state: theirs, acknowledged: acknowledged, isSameRecorder: false)
    }
}
