import HostRuntime
import PM5Codec
import Rowing
import Synchronization
import Timeline

/// Asks one monitor for its force curves over one link: the poller's timer and its way out.
///
/// Confined to the station's queue, but for the count of failed writes.
final class ForcePolling {
    /// What a call brought about.
    struct Outcome {
        var curves: [PolledForceCurve] = []
        /// Values on their way to 0x0021, in order.
        var written: [[UInt8]] = []
    }

    private let link: any ErgLink
    private let timer: QueueTimer
    private let log: SystemLog
    private let logFields: [(String, String)]
    private let failedWrites = FailedWrites()
    private var poller = ForcePlotPoller()
    private var actions: [ForcePlotPoller.Action] = []
    private var isStopReported = false

    /// - Parameter timer: calls for `tick`.
    init(
        link: any ErgLink, timer: QueueTimer, log: SystemLog, logFields: [(String, String)]
    ) {
        self.link = link
        self.timer = timer
        self.log = log
        self.logFields = logFields
        log.info("no 0x003D: asking for force curves through CSAFE", logFields)
    }

    /// Takes any value of the link.
    func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant
    ) -> Outcome {
        poller.receive(characteristic, bytes, at: now, into: &actions)
        return perform(at: now)
    }

    func tick(at now: BootInstant) -> Outcome {
        poller.tick(at: now, into: &actions)
        return perform(at: now)
    }

    /// Forgets the drive under way: somebody else used the channel, so answers are missing.
    func beginAnew() {
        guard !poller.isStopped else { return }
        poller = ForcePlotPoller()
        timer.stop()
    }

    /// Ends the timer. Idempotent.
    func end() { timer.cancel() }

    private func perform(at now: BootInstant) -> Outcome {
        var outcome = Outcome()
        for action in actions {
            switch action {
            case .write(let pieces):
                write(pieces)
                outcome.written += pieces
            case .finish(let curve): outcome.curves.append(curve)
            }
        }
        actions.removeAll(keepingCapacity: true)
        if let next = poller.nextTick {
            timer.fire(after: now.duration(to: next))
        } else {
            timer.stop()
        }
        reportStop()
        return outcome
    }

    /// A request that cannot be written goes unanswered, which the poller notices.
    private func write(_ pieces: [[UInt8]]) {
        Task { [link, failedWrites] in
            do {
                for piece in pieces { try await link.write(piece, to: .csafeIn) }
            } catch {
                failedWrites.count.add(1, ordering: .relaxed)
            }
        }
    }

    private func reportStop() {
        guard poller.isStopped, !isStopReported else { return }
        isStopReported = true
        let failed = failedWrites.count.load(ordering: .relaxed)
        log.notice(
            "force curves are no longer asked for on this link, \(failed) writes failed",
            logFields)
    }
}

/// Counted by the tasks that write.
private final class FailedWrites: Sendable {
    let count = Atomic<Int>(0)
}
