import Glibc
import HostRuntime
import RingLog

/// Recovery of a disk that refuses records. Writes `numbering` and `counters`.
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
        guard !store.isMerging else { return false }
        store.isHealing = true
        store.device.heal()
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
        guard store.isHealing, !store.isMerging, !store.device.progress.isHealing else { return }
        switch (store.device.failure?.operation, store.device.failure?.code) {
        case (.open, EEXIST), (.locate, ENODATA):
            store.isMerging = true
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
        store.isHealing = false
        if store.device.failure == nil {
            store.hasHealed()
            commit()
        } else {
            store.reportFailure()
        }
        store.healingIsOver()
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
        store.isMerging = false
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
        delivery.changeRing(
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
