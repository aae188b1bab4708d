import HostRuntime
import PM5Codec
import Rowing
import Timeline

/// Carries out one order at a time on the monitor of one link: the procedure's timer and its way
/// out.
///
/// Confined to the station's queue.
final class MonitorOrders {
    private let link: any ErgLink
    private let timer: QueueTimer
    private let clock: any Clock
    /// Called for every write that failed, on any thread.
    private let writeFailed: @Sendable () -> Void
    private var procedure: WorkoutProcedure?
    private var actions: [WorkoutProcedure.Action] = []
    private var waiter: CheckedContinuation<Result<Workout, WorkoutProcedure.Failure>?, Never>?

    /// - Parameter timer: calls for `tick`.
    init(
        link: any ErgLink, timer: QueueTimer, clock: any Clock,
        writeFailed: @escaping @Sendable () -> Void
    ) {
        self.link = link
        self.timer = timer
        self.clock = clock
        self.writeFailed = writeFailed
    }

    var isBusy: Bool { procedure != nil }

    /// Begins an order; `waiter` gets its result, or nil when the link ends first.
    func start(
        _ procedure: WorkoutProcedure,
        _ waiter: CheckedContinuation<Result<Workout, WorkoutProcedure.Failure>?, Never>
    ) {
        precondition(self.procedure == nil, "one order at a time")
        self.procedure = procedure
        self.waiter = waiter
        rearm(at: clock.now())
    }

    /// Takes any value of the link; gives back what it wrote to the monitor.
    func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant
    ) -> [[UInt8]] {
        procedure?.receive(characteristic, bytes, at: now, into: &actions)
        return perform(at: now)
    }

    func tick(at now: BootInstant) -> [[UInt8]] {
        procedure?.tick(at: now, into: &actions)
        return perform(at: now)
    }

    /// The link is gone, or a write to it failed: what is under way is given up.
    func interrupt() { finish(nil) }

    /// Gives up for good. Idempotent.
    func end() {
        interrupt()
        timer.cancel()
    }

    private func perform(at now: BootInstant) -> [[UInt8]] {
        var written: [[UInt8]] = []
        for action in actions {
            switch action {
            case .write(let pieces):
                write(pieces)
                written += pieces
            case .finish(let result): finish(result)
            }
        }
        actions.removeAll(keepingCapacity: true)
        rearm(at: now)
        return written
    }

    private func rearm(at now: BootInstant) {
        if let next = procedure?.nextTick { timer.fire(after: now.duration(to: next)) }
    }

    private func finish(_ result: Result<Workout, WorkoutProcedure.Failure>?) {
        procedure = nil
        timer.stop()
        waiter?.resume(returning: result)
        waiter = nil
    }

    private func write(_ pieces: [[UInt8]]) {
        Task { [link, writeFailed] in
            do {
                for piece in pieces { try await link.write(piece, to: .csafeIn) }
            } catch {
                writeFailed()
            }
        }
    }
}
