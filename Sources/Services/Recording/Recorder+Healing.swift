import Glibc
import HostRuntime
import RingLog

/// A disk that refuses records, and how it gets them in the end.
extension Recorder {
    /// The time between two attempts grows to this.
    private static let longestHealingDelay = Duration.seconds(30)

    /// One line for each reason of a burst, and one for its end in `heal`.
    package func report(_ failure: RingLogError) {
        guard failure != reportedFailure else { return }
        reportedFailure = failure
        log.error(
            "the disk refuses records, they are kept in memory: \(failure)",
            event: storage.device.isInMemoryAlone ? .ringUnavailable : .ringRefuses)
    }

    /// Tries the disk again, if it is time to.
    func healWhenDue() {
        let now = runtime.now()
        if let nextHealing, now < nextHealing.at { return }
        if !heal(), !storage.device.isCopying {
            let last = nextHealing?.delay ?? .milliseconds(500)
            let delay = min(last * 2, Self.longestHealingDelay)
            nextHealing = (now.advanced(by: delay), delay)
        }
    }

    /// Tries the disk again. Returns whether it has everything.
    @discardableResult
    func heal() -> Bool {
        guard storage.device.failure != nil else { return true }
        guard storage.device.heal() || dealWithStranger() else {
            if let failure = storage.device.failure { report(failure) }
            return false
        }
        (nextHealing, reportedFailure) = (nil, nil)
        log.notice("the disk takes records again", [("path", storage.device.path)])
        marks?.remove()
        marks = SequenceHighWater(ofRing: storage.device.path)
        commit()
        return true
    }

    /// What stands where the ring belongs, if it is a ring. Returns whether that one is in use now.
    private func dealWithStranger() -> Bool {
        switch (storage.device.failure?.operation, storage.device.failure?.code) {
        case (.open, EEXIST): return joinFoundRing()
        case (.recognize, EUCLEAN):
            // Its place is free for the next attempt.
            _ = storage.device.setAside(at: runtime, log: log)
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
            try storage.writer.commit()
            let found = try RingStorage.open(
                FallbackBlockDevice(
                    path: storage.device.path, fileSystem: storage.device.fileSystem),
                geometry: storage.writer.geometry, runtime: runtime)
            let theirs = found.recoverState(log: log)
            let transfer = RingTransfer(
                into: found.writer, on: found.device, state: theirs, isSameRecorder: false)
            try transfer.bring(
                storage.device, from: storage.firstToRescue,
                unpublishedFrom: storage.writer.consumed, through: state)
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
        state = transfer.relocated(state)
        state.pass(theirs)
        delivery.changeRing(end: storage.writer.end, consumed: found.writer.consumed)
        delivery.losses.add(transfer.losses)
        storage = found
        answerWriter()
        beginEpoch(because: "a ring log came back to its place, and is gone on with")
        record(
            .ringRecovered(
                droppedBytes: found.tornBytes, reason: "a ring log came back to its place"))
    }
}
