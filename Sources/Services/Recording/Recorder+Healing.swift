import Glibc
import HostRuntime
import RingLog

/// Recovery of a disk that refuses records. Writes `numbering` and `accounts`.
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
        guard !store.isJoining else { return false }
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
        guard store.isHealing, !store.isJoining, !store.device.progress.isHealing else { return }
        switch (store.device.failure?.operation, store.device.failure?.code) {
        case (.open, EEXIST), (.locate, ENODATA):
            store.isJoining = true
            Task { await joinRing() }
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

    /// Handles a disk that returned with a ring of its own, or a lost ring whose path is free:
    /// continues in the ring found there, or in a new one, behind its records, with what was
    /// recorded meanwhile and what can still be read.
    ///
    /// The numbers of both rings stay valid, each in its epoch; new records belong to a third
    /// epoch. The reader copies what memory holds while recording continues; only the last part is
    /// copied here.
    private func joinRing() async {
        do throws(RingLogError) {
            let joint = try await reader.join(
                store.device.path, store.device.fileSystem, store.writer.geometry,
                acknowledged: numbering.state.lastAcknowledged)
            var start = store.storage.firstToRescue
            repeat {
                try store.writer.flush()
                start = try await reader.bring(
                    store.writer.view, from: start, unpublishedFrom: store.writer.consumed,
                    into: joint)
            } while isFar(start)
            try goOn(in: joint, from: start)
        } catch {
            log.error("the ring at the path cannot be gone on with: \(error)")
        }
        store.isJoining = false
        endHealing()
    }

    private func goOn(in joint: RingJoint, from start: LogPosition) throws(RingLogError) {
        let (found, theirs, transfer) = (joint.found, joint.theirs, joint.transfer)
        if let failure = found.device.failure { throw failure }
        let isOfAnother = store.writer.epoch != found.writer.epoch
        followSessions()
        // From here on no caller waits for its disk, which certainly has everything except this.
        writeBehind(found.device)
        _ = try transfer.bring(
            store.writer.view, from: start, unpublishedFrom: store.writer.consumed)
        try transfer.finish(through: numbering.state)
        if let failure = found.device.failure { throw failure }
        numbering.move(transfer.relocated(numbering.state), behind: theirs)
        delivery.changeRing(
            end: store.writer.end, consumed: found.writer.consumed, losses: transfer.losses)
        store.replace(with: found)
        numbering.carry(accounts.changeRing(to: store.writer.view))
        answerWriter()
        // They were lost in the old epoch.
        if found.isNew { declareDropped() }
        let reason =
            found.isNew
            ? "the ring log was lost, and a new one begins in its place"
            : "a ring log came back to its place, and is gone on with"
        beginEpoch(because: reason)
        // An older state of our own ring knows less about our own sessions than we do.
        if isOfAnother { endSessions(openIn: theirs) }
        accountForSessions()
        record(.ringRecovered(droppedBytes: found.tornBytes, reason: reason))
    }
}
