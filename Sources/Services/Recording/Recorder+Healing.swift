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
        store.isHealing = true
        store.device.heal()
        finishHealing()
        return store.device.failure == nil
    }

    /// Behind an attempt.
    func finishHealing() {
        guard store.isHealing, !store.device.progress.isHealing else { return }
        store.isHealing = false
        if store.device.failure == nil || dealWithFoundFile() {
            store.hasHealed()
            commit()
        } else {
            store.reportFailure()
        }
        store.healingIsOver()
    }

    /// What stands where the ring belongs, if it is a ring. Returns whether that one is in use now.
    private func dealWithFoundFile() -> Bool {
        switch (store.device.failure?.operation, store.device.failure?.code) {
        case (.open, EEXIST): return joinFoundRing()
        case (.recognize, EUCLEAN):
            // Its place is free for the next attempt.
            _ = store.device.setAside(at: runtime, log: log)
            return false
        default: return false
        }
    }

    /// A disk that was away came back with a ring of its own: goes on in that one, behind its
    /// records, with what was recorded meanwhile.
    ///
    /// The numbers of both stay what they are, each in its epoch; what comes now is in a third.
    private func joinFoundRing() -> Bool {
        do throws(RingLogError) {
            // What memory holds stays there until the found ring has it for certain.
            try store.writer.commit()
            let found = try RingStorage.open(
                FallbackBlockDevice(
                    path: store.device.path, fileSystem: store.device.fileSystem),
                geometry: store.writer.geometry, runtime: runtime)
            let theirs = found.recoverState(log: log)
            let transfer = RingTransfer(
                into: found.writer, on: found.device, state: theirs, isSameRecorder: false)
            try transfer.bring(
                store.device, from: store.storage.firstToRescue,
                unpublishedFrom: store.writer.consumed, through: numbering.state)
            if let failure = found.device.failure { throw failure }
            goOn(in: found, behind: theirs, transfer)
            return true
        } catch {
            log.error("the ring that came back cannot be gone on with: \(error)")
            return false
        }
    }

    private func goOn(in found: RingStorage, behind theirs: RecorderState, _ transfer: RingTransfer)
    {
        let isOfAnother = store.writer.epoch != found.writer.epoch
        followSessions()
        numbering.move(transfer.relocated(numbering.state), behind: theirs)
        delivery.changeRing(
            end: store.writer.end, consumed: found.writer.consumed, losses: transfer.losses)
        store.replace(with: found)
        writeBehind()
        accounts.changeRing(to: store.writer.view)
        answerWriter()
        beginEpoch(because: "a ring log came back to its place, and is gone on with")
        // Of our own sessions an older state of our own ring knows less than we do.
        if isOfAnother { endSessions(openIn: theirs) }
        accountForSessions()
        record(
            .ringRecovered(
                droppedBytes: found.tornBytes, reason: "a ring log came back to its place"))
    }
}
