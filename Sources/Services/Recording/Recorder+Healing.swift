import Glibc
import HostRuntime
import RingLog

/// A disk that refuses records, and how it gets them in the end. Writes `numbering` and `accounts`.
extension Recorder {
    /// Tries the disk again, if it refuses records and it is time to.
    func healWhenDue() {
        let now = runtime.now()
        guard store.isAttemptDue(at: now) else { return }
        if !heal() { store.postponeAttempt(from: now) }
    }

    /// Tries the disk again. Returns whether it has everything; where the disk has a queue of its own,
    /// that shows later.
    @discardableResult
    func heal() -> Bool {
        guard store.device.failure != nil else { return true }
        guard !store.isJoining else { return false }
        store.isHealing = true
        store.device.heal()
        finishHealing()
        return store.device.failure == nil
    }

    /// Tries the disk again. Returns, once the attempt is over, whether it has everything.
    @discardableResult
    func healed() async -> Bool {
        heal()
        await withCheckedContinuation { store.whenHealed($0) }
        return store.device.failure == nil
    }

    /// Behind an attempt.
    func finishHealing() {
        guard store.isHealing, !store.isJoining, !store.device.progress.isHealing else { return }
        switch (store.device.failure?.operation, store.device.failure?.code) {
        case (.open, EEXIST), (.locate, ENODATA):
            store.isJoining = true
            Task { await joinRing() }
            return
        case (.recognize, EUCLEAN):
            // Its place is free for the next attempt.
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

    /// A disk that was away came back with a ring of its own, or the ring in use is lost and its
    /// place is free: goes on in the one that is there, or in a new one, behind its records, with what
    /// was recorded meanwhile and what can still be read.
    ///
    /// The numbers of both stay what they are, each in its epoch; what comes now is in a third. The
    /// reader brings what memory holds, while others record on; only the last of it is brought here.
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
        // From here on nobody waits for its disk, which has all but this for certain.
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
        // Of the old epoch, in which they were lost.
        if found.isNew { declareDropped() }
        let reason =
            found.isNew
            ? "the ring log was lost, and a new one begins in its place"
            : "a ring log came back to its place, and is gone on with"
        beginEpoch(because: reason)
        // Of our own sessions an older state of our own ring knows less than we do.
        if isOfAnother { endSessions(openIn: theirs) }
        accountForSessions()
        record(.ringRecovered(droppedBytes: found.tornBytes, reason: reason))
    }
}
